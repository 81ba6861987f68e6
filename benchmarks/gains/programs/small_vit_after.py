"""A small vision transformer that is trained in the default mode."""

from __future__ import annotations

from collections.abc import Callable

import torch
from parts import Block, Patches, adamw
from torch import Tensor, nn
from torch.nn import functional


class Classifier(nn.Module):
    def __init__(self, width: int = 192, depth: int = 8) -> None:
        super().__init__()
        self.patches, self.head = Patches(width), nn.Linear(width, 100)
        self.blocks = nn.Sequential(*[Block(width) for _ in range(depth)])

    def forward(self, images: Tensor) -> Tensor:
        return self.head(self.blocks(self.patches(images)).mean(1))


def make(device: str) -> Callable[[], object]:
    model = Classifier().to(device)
    compiled = torch.compile(model, mode="reduce-overhead")
    optimizer = adamw(model)
    images = torch.randn(16, 3, 224, 224, device=device)
    labels = torch.randint(100, (16,), device=device)

    def step() -> object:
        loss = functional.cross_entropy(compiled(images), labels)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        return None

    return step


if __name__ == "__main__":
    train = make("cuda")
    for _ in range(1000):
        train()
