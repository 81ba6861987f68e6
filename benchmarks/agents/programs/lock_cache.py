import threading

import torch
from torch import nn

_LOCK = threading.Lock()


class Positions(nn.Module):
    def __init__(self, dim: int = 8) -> None:
        super().__init__()
        self.dim = dim
        self.tables = {}

    def forward(self, x):
        n = x.shape[1]
        with _LOCK:
            if n not in self.tables:
                angle = torch.arange(n).unsqueeze(1) / 10 ** (torch.arange(self.dim) / self.dim)
                self.tables[n] = angle.sin()
        return x + self.tables[n].to(x)


def build():
    return Positions()


def sample():
    return (torch.randn(2, 6, 8),)
