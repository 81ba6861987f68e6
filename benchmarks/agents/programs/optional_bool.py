import torch
from torch import nn


class Attention(nn.Module):
    def __init__(self, dim: int = 8) -> None:
        super().__init__()
        self.q = nn.Linear(dim, dim)
        self.k = nn.Linear(dim, dim)

    def forward(self, x, bias=None):
        scores = self.q(x) @ self.k(x).transpose(-1, -2)
        bias = bias if bias is not None else torch.zeros(())
        if bias.abs().sum() != 0:
            scores = scores + bias
        return scores.softmax(-1) @ x


def build():
    return Attention()


def sample():
    return torch.randn(2, 4, 8), torch.randn(4, 4)
