import torch
from torch import nn


class Presence(nn.Module):
    """Adds, to each row, the share of the classes that occur in the batch."""

    def __init__(self, classes: int = 6) -> None:
        super().__init__()
        self.classes = classes
        self.emb = nn.Embedding(classes, 4)

    def forward(self, labels):
        share = torch.unique(labels).numel() / self.classes
        return self.emb(labels) + share


def build():
    return Presence()


def sample():
    return (torch.tensor([0, 1, 1, 4, 5]),)
