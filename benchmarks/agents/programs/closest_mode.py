import torch
from torch import nn


class Vq(nn.Module):
    """Vector quantisation with a count of the codes that were used."""

    def __init__(self, n: int = 8, dim: int = 4) -> None:
        super().__init__()
        self.codebook = nn.Parameter(torch.randn(n, dim))
        self.register_buffer("used", torch.zeros(n))

    def forward(self, z):
        distance = torch.cdist(z, self.codebook)
        code = distance.argmin(-1)
        for c in code.unique().tolist():
            self.used[c] += 1
        q = self.codebook[code]
        return z + (q - z).detach(), code


def build():
    return Vq()


def sample():
    return (torch.randn(6, 4),)
