# a compiled module is copied deeply
import copy

import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(4, 4)

    def forward(self, x):
        return self.lin(x)


net = torch.compile(Net(), backend="eager")
x = torch.randn(2, 4)
net(x)
twin = copy.deepcopy(net)
twin(x)
