# the last request has a batch of one
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(4, 4)

    def forward(self, x):
        return self.lin(x)


net = torch.compile(Net(), backend="eager", dynamic=True)
for n in (4, 6, 1):
    net(torch.randn(n, 4))  #! recompile input
