# the warm-up uses the batch of the measurement; pair_of=warm_other_shape
import time

import torch
from torch import nn

model = torch.compile(nn.Linear(4, 4).eval(), backend="eager")
with torch.no_grad():
    model(torch.randn(32, 4))
    start = time.perf_counter()
    for _ in range(3):
        model(torch.randn(32, 4))
    took = time.perf_counter() - start
