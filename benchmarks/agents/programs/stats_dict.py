import torch
from torch import nn


class Tracked(nn.Module):
    """Returns how far the activations reach, beside the result."""

    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(6, 6) for _ in range(3)])

    def forward(self, x):
        stats = {}
        for i, layer in enumerate(self.layers):
            x = torch.relu(layer(x))
            stats[f"layer{i}"] = float(x.detach().max())
        top = max(stats.values())
        return x / (1.0 + top)


def build():
    return Tracked()


def sample():
    return (torch.randn(4, 6),)
