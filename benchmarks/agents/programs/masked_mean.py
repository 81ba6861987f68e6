import torch
from torch import nn


class MaskedMean(nn.Module):
    def __init__(self, dim: int = 8) -> None:
        super().__init__()
        self.proj = nn.Linear(dim, dim)

    def forward(self, x, mask):
        x = self.proj(x)
        kept = x[mask]
        if kept.numel() == 0:
            return x.sum(dim=(0, 1)) * 0.0
        return kept.mean(dim=0)


def build():
    return MaskedMean()


def sample():
    return torch.randn(2, 5, 8), torch.rand(2, 5) > 0.4
