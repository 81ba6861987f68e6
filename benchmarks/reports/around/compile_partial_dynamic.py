# all compile calls of the project ask for symbols
import functools

import torch
from torch import nn

compile_ = functools.partial(torch.compile, backend="eager", dynamic=True)
net = compile_(nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2)))
for n in (3, 5, 7):
    net(torch.randn(n, 4))
