# the first layer of a compiled Sequential is taken by its index
import torch
from torch import nn

net = torch.compile(nn.Sequential(nn.Linear(4, 8), nn.ReLU()), backend="eager")
net(torch.ones(1, 4))
first = net[0]  #! error
print(first.in_features, len(net))
