# a benchmark measures one cold call of each
import time

import torch
from torch import nn

net = nn.Sequential(nn.Linear(8, 8), nn.ReLU()).eval()
fast = torch.compile(net, backend="eager")


def seconds(fn, x):
    begin = time.time()  #! slow
    with torch.no_grad():
        fn(x)  #! slow
    return time.time() - begin  #! slow


x = torch.randn(4, 8)
for name, fn in {"eager": net, "compiled": fast}.items():
    took = seconds(fn, x)  #! slow
