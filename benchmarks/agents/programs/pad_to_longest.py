import torch
from torch import nn
from torch.nn import functional as F


class Trim(nn.Module):
    """Attention with the padding left out, padded again to the length it came with."""

    def __init__(self) -> None:
        super().__init__()
        self.rnnish = nn.Linear(4, 4)

    def forward(self, x, lengths):
        total = x.shape[1]
        longest = int(lengths.max())
        y = torch.tanh(self.rnnish(x[:, :longest]))
        return F.pad(y, (0, 0, 0, total - longest))


def build():
    return Trim()


def sample():
    return torch.randn(2, 8, 4), torch.tensor([5, 3])
