# the optional argument is None in every call
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(4, 4)

    def forward(self, x, mask=None):
        y = self.lin(x)
        if mask is not None:
            y = y * mask
        return y


net = torch.compile(Net(), backend="eager")
for _ in range(3):
    net(torch.randn(2, 4), None)
    net(torch.randn(2, 4))
