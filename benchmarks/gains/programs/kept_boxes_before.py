"""A detector that keeps the boxes whose score is high enough."""

from __future__ import annotations

from collections.abc import Callable

import torch
from parts import Residual
from torch import Tensor, nn


class Detector(nn.Module):
    def __init__(self, channels: int = 64, depth: int = 6) -> None:
        super().__init__()
        self.stem = nn.Conv2d(3, channels, 7, 4, 3)
        self.blocks = nn.Sequential(*[Residual(channels) for _ in range(depth)])
        self.boxes, self.scores = nn.Conv2d(channels, 4, 1), nn.Conv2d(channels, 1, 1)

    def forward(self, images: Tensor) -> tuple[Tensor, Tensor]:
        x = self.blocks(self.stem(images))
        boxes, scores = self.boxes(x).flatten(2)[0].T, self.scores(x).flatten().sigmoid()
        kept = (scores > 0.5).nonzero().squeeze(1)
        return boxes[kept], scores[kept]


def make(device: str) -> Callable[[], object]:
    model = Detector().to(device).eval()
    compiled = torch.compile(model)
    images = torch.randn(1, 3, 256, 256, device=device)

    @torch.no_grad()
    def step() -> object:
        return compiled(images)

    return step


if __name__ == "__main__":
    serve = make("cuda")
    for _ in range(1000):
        serve()
