# sizes are dynamic and all above one; pair_of=dynamic_with_one
import torch
from torch import nn

net = nn.Sequential(nn.Linear(4, 4), nn.GELU())
net = torch.compile(net, dynamic=True, backend="eager")
for n in (8, 5, 3):
    net(torch.randn(n, 4))
