# the first call is inside of what is timed
import time

import torch
from torch import nn

net = torch.compile(nn.Linear(4, 4), backend="eager")
x = torch.randn(2, 4)
start = time.perf_counter()
for _ in range(10):
    net(x)
elapsed = (time.perf_counter() - start) / 10  #! slow
