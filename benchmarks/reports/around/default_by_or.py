# a model that may be given, by or
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(4, 4)

    def forward(self, x):
        return self.lin(x)


class Runner:
    def __init__(self, model=None):
        self.model = model or Net()  #! error

    def run(self, x):
        return self.model(x)


Runner(torch.compile(Net(), backend="eager")).run(torch.ones(1, 4))
