import torch
from torch import nn


class Refine(nn.Module):
    """Refines hidden states until the change is small, at most four times."""

    def __init__(self, dim: int = 16) -> None:
        super().__init__()
        self.step = nn.Linear(dim, dim)
        self.tolerance = 0.05

    def forward(self, h):
        for _ in range(4):
            new = h + 0.1 * torch.tanh(self.step(h))
            change = (new - h).abs().max()
            h = new
            if change < self.tolerance:
                break
        return h


def build():
    return Refine()


def sample():
    return (torch.randn(3, 16),)
