# sizes are dynamic, but one batch has a single row
import torch
from torch import nn

net = nn.Sequential(nn.Linear(4, 4), nn.GELU())
net = torch.compile(net, dynamic=True, backend="eager")
for n in (8, 5, 1):
    net(torch.randn(n, 4))  #! recompile input
