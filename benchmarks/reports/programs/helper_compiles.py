# a helper compiles when a flag says so
import torch
from torch import nn


def speed(model, on=True):
    return torch.compile(model, backend="eager") if on else model


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(3, 3)

    def forward(self, x):
        return self.lin(x)


net = speed(Net())
net(torch.randn(5, 3))  #! recompile input
net(torch.randn(7, 3))  #! recompile input
