import torch
from torch import nn


class Normalise(nn.Module):
    """Running mean, with the first batch taken whole."""

    def __init__(self, dim: int = 5) -> None:
        super().__init__()
        self.register_buffer("mean", torch.zeros(dim))
        self.register_buffer("seen", torch.tensor(0))
        self.lin = nn.Linear(dim, dim)

    def forward(self, x):
        if self.training:
            batch = x.detach().mean(0)
            if self.seen == 0:
                self.mean.copy_(batch)
            else:
                self.mean.mul_(0.9).add_(0.1 * batch)
            self.seen += 1
        return self.lin(x - self.mean)


def build():
    return Normalise()


def sample():
    return (torch.randn(7, 5),)
