# the timer of torch warms up by itself; pair_of=timeit_cold
import torch
from torch import nn
from torch.utils import benchmark

net = nn.Sequential(nn.Linear(32, 32), nn.ReLU())
fast = torch.compile(net, backend="eager")
x = torch.randn(4, 32)
t = benchmark.Timer(stmt="fast(x)", globals={"fast": fast, "x": x})
fast(x)
result = t.timeit(5)
