# forward of a wrapper is called by its name; pair_of=forward_called_directly
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(4, 4)

    def forward(self, x):
        return self.lin(x).relu()


net = torch.compile(Net(), backend="eager")
for _ in range(3):
    net.forward(torch.randn(2, 4))
