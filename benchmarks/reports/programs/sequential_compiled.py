# a plain nn.Sequential is compiled in place
import torch
from torch import nn

net = nn.Sequential(nn.Linear(4, 4), nn.ReLU(), nn.Linear(4, 2))
net.compile(backend="eager")  #! slow
net(torch.randn(2, 4))
