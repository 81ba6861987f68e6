# compiled by a conditional expression and tested by class
import torch
from torch import nn

USE = True


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(4, 4)

    def forward(self, x):
        return self.lin(x)


net = Net()
fast = (torch.compile if USE else (lambda m, **k: m))(net, backend="eager")
fast(torch.randn(1, 4))
assert isinstance(fast, Net)  #! wrong
