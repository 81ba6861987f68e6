# a context manager measures the first call
import time
from contextlib import contextmanager

import torch
from torch import nn


@contextmanager
def timed(label, results):
    start = time.perf_counter()  #! slow
    yield
    results[label] = time.perf_counter() - start  #! slow


model = torch.compile(nn.Linear(4, 4).eval(), backend="eager")
results = {}
with torch.no_grad():
    with timed("forward", results):  #! slow
        model(torch.randn(2, 4))  #! slow
