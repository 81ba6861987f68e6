# the dimension that differs is marked
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(4, 4)

    def forward(self, x):
        return self.lin(x)


net = torch.compile(Net(), backend="eager")
for n in (3, 5, 9):
    x = torch.randn(n, 4)
    torch._dynamo.mark_dynamic(x, 0)
    net(x)
