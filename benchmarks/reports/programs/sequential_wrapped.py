# a plain nn.Sequential is compiled by torch.compile
import torch
from torch import nn

net = torch.compile(nn.Sequential(nn.Linear(4, 4), nn.ReLU(), nn.Linear(4, 2)), backend="eager")
for n in (2, 3, 4):
    net(torch.randn(n, 4))  #! recompile input
