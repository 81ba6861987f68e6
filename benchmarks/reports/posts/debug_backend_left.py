# the eager backend of a debugging session was left in a benchmark
import time

import torch
from torch import nn

net = nn.Linear(4, 1).eval()
model = torch.compile(net, backend="eager")  #! slow
x = torch.randn(2, 4)
with torch.no_grad():
    for _ in range(3):
        model(x)
    start = time.perf_counter()
    model(x)
    speedup = time.perf_counter() - start
