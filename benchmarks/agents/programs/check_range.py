import torch
from torch import nn


class Lookup(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.table = nn.Embedding(16, 6)

    def forward(self, ids):
        if (ids < 0).any():
            ids = ids.clamp(min=0)
        return self.table(ids).mean(1)


def build():
    return Lookup()


def sample():
    return (torch.randint(0, 16, (4, 5)),)
