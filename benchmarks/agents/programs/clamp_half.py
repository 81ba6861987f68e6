import torch
from torch import nn


class Block(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(8)
        self.ff = nn.Linear(8, 8)

    def forward(self, h):
        h = h + self.ff(self.norm(h))
        if torch.isinf(h).any() or torch.isnan(h).any():
            limit = torch.finfo(h.dtype).max - 1000
            h = torch.clamp(h, min=-limit, max=limit)
        return h


def build():
    return Block()


def sample():
    return (torch.randn(2, 5, 8),)
