import numpy as np
import torch
from torch import nn


class Windowed(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.lin = nn.Linear(16, 4)

    def forward(self, x):
        n = x.shape[-1]
        window = torch.tensor([0.5 - 0.5 * float(np.cos(2 * np.pi * i / (n - 1))) for i in range(n)])
        peak = float(x.detach().abs().max().cpu().numpy())
        return self.lin(x * window.to(x) / max(peak, 1e-6))


def build():
    return Windowed()


def sample():
    return (torch.randn(3, 16),)
