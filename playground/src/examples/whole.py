# One graph
import torch
from torch import nn


class Block(nn.Module):
    def __init__(self, width: int = 64) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(width)
        self.mix = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))

    def forward(self, x: torch.Tensor, keep: torch.Tensor) -> torch.Tensor:
        y = self.mix(self.norm(x))
        return x + torch.where(keep[..., None], y, 0.0)


model = torch.compile(Block(), fullgraph=True)
out = model(torch.randn(2, 8, 64), torch.rand(2, 8) > 0.5)
