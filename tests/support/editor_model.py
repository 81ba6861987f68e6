"""The model that an editor shows in tests: a line of output and a test of its data, so three graphs."""

MODEL = """import torch
from torch import nn


class Model(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = x.sum()
        n = x.shape[0]
        print(y)
        z = y * 2
        if z > 0:
            return y
        return z + n


def loose(a):
    return a
"""
