# issubclass of the class of a compiled module
import torch
from torch import nn


class Base(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(4, 4)


class Small(Base):
    def forward(self, x):
        return self.lin(x)


def registered(model):
    return issubclass(model.__class__, Base)  #! wrong


small = torch.compile(Small(), backend="eager")
small(torch.randn(1, 4))
print(registered(small))
