# the first call is before what is timed; pair_of=benchmark_without_warmup
import time

import torch
from torch import nn

net = torch.compile(nn.Linear(4, 4), backend="eager")
x = torch.randn(2, 4)
for _ in range(3):
    net(x)
start = time.perf_counter()
for _ in range(10):
    net(x)
elapsed = (time.perf_counter() - start) / 10
