# Branch on tensor data
import torch
from torch import nn


class Router(nn.Module):
    def __init__(self, width: int = 64) -> None:
        super().__init__()
        self.gate = nn.Linear(width, 1)
        self.small = nn.Linear(width, width)
        self.large = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        score = self.gate(x).sigmoid()
        if score.mean() > 0.5:
            y = self.large(x)
        else:
            y = self.small(x)
        print("gate", score.mean())
        return x + score * y


model = torch.compile(Router())
out = model(torch.randn(8, 64))
