import math

import torch
from torch import nn


class Quantise(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.lin = nn.Linear(6, 6)

    def forward(self, x):
        y = self.lin(x)
        scale = y.detach().abs().max()
        step = 2.0 ** math.ceil(math.log2(float(scale) + 1e-8)) / 128
        return torch.round(y / step) * step


def build():
    return Quantise()


def sample():
    return (torch.randn(3, 6),)
