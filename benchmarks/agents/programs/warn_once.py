import warnings

import torch
from torch import nn


class Attend(nn.Module):
    """A mask of the wrong type is converted, with a warning."""

    def __init__(self) -> None:
        super().__init__()
        self.lin = nn.Linear(6, 6)

    def forward(self, x, mask):
        if mask.dtype != torch.bool:
            warnings.warn(f"mask of {mask.dtype}, with {int(mask.sum())} kept, is converted", stacklevel=2)
            mask = mask != 0
        return self.lin(x).masked_fill(~mask.unsqueeze(-1), 0.0)


def build():
    return Attend()


def sample():
    return torch.randn(2, 4, 6), torch.tensor([[1, 1, 0, 0], [1, 0, 0, 0]])
