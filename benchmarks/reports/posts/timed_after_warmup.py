# the context manager measures the second call; pair_of=events_around_first_call
import time
from contextlib import contextmanager

import torch
from torch import nn


@contextmanager
def timed(label, results):
    start = time.perf_counter()
    yield
    results[label] = time.perf_counter() - start


model = torch.compile(nn.Linear(4, 4).eval(), backend="eager")
results = {}
with torch.no_grad():
    model(torch.randn(2, 4))
    with timed("forward", results):
        model(torch.randn(2, 4))
