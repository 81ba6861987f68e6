"""Recompiles by state: a step that is counted."""
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(4, 4)
        self.step = 0
        self.name = "net"

    def forward(self, x):
        self.step += 1
        return self.linear(x) * self.step


net = Net()
compiled = torch.compile(net, backend="eager")
for _ in range(12):
    compiled(torch.randn(2, 4))
