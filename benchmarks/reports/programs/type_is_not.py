# a test by type of a compiled model in a helper
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(4, 4)

    def forward(self, x):
        return self.lin(x)


def check(model):
    if type(model) is not Net:  #! wrong
        raise TypeError("expected Net")
    return model


net = torch.compile(Net(), backend="eager")
check(net)  #! wrong
