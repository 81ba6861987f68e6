# several config objects of two classes are arguments
import torch
from torch import nn


class Scale:
    def apply(self, x):
        return x * 2


class Shift:
    def apply(self, x):
        return x + 1


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(4, 4)

    def forward(self, x, op):
        return op.apply(self.lin(x))


net = torch.compile(Net(), backend="eager")
x = torch.randn(2, 4)
for op in (Scale(), Shift()):
    net(x, op)  #! recompile input
