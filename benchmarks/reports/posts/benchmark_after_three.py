# a benchmark throws three calls away; pair_of=benchmark_one_call
import time

import torch
from torch import nn

net = nn.Sequential(nn.Linear(8, 8), nn.ReLU()).eval()
fast = torch.compile(net, backend="eager")


def seconds(fn, x):
    with torch.no_grad():
        for _ in range(3):
            fn(x)
        begin = time.time()
        fn(x)
    return time.time() - begin


x = torch.randn(4, 8)
for name, fn in {"eager": net, "compiled": fast}.items():
    took = seconds(fn, x)
