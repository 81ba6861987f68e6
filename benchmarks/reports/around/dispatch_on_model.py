# singledispatch by the class of the model
from functools import singledispatch

import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(4, 4)

    def forward(self, x):
        return self.lin(x)


@singledispatch
def describe(model):
    return "unknown"


@describe.register
def _(model: Net):
    return "a net"


net = torch.compile(Net(), backend="eager")
net(torch.ones(1, 4))
print(describe(net))  #! wrong
