# two heads of one class with other sizes
import torch
from torch import nn


class Head(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.w = nn.Parameter(torch.randn(8, d))

    def forward(self, x):
        return x @ self.w


small = torch.compile(Head(2), backend="eager")
large = torch.compile(Head(5), backend="eager")  #! recompile instance
x = torch.randn(3, 8)
small(x)  #! recompile instance
large(x)  #! recompile instance
