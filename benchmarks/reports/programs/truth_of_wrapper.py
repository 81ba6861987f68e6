# a default by or
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(4, 4)

    def forward(self, x):
        return self.lin(x)


def run(x, model=None):
    model = model or Net()  #! error
    return model(x)


run(torch.randn(1, 4), torch.compile(Net(), backend="eager"))  #! error
