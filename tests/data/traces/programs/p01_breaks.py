"""Breaks: a branch on a tensor, item, print, and a module's loop."""
import torch
from torch import nn


class Gate(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(8, 8)

    def forward(self, x):
        x = self.linear(x)
        if x.sum() > 0:
            x = x + 1
        print("seen", tuple(x.shape))
        return x * x.max().item()


model = torch.compile(Gate(), backend="aot_eager")
for _ in range(3):
    model(torch.randn(4, 8)).sum().backward()
