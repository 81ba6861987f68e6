"""A vision transformer that checks each block's result for numbers that are not finite."""

from __future__ import annotations

from collections.abc import Callable

import torch
from parts import Block, Patches, adamw
from torch import Tensor, nn
from torch.nn import functional


class Classifier(nn.Module):
    def __init__(self, width: int = 384, depth: int = 6) -> None:
        super().__init__()
        self.patches, self.head = Patches(width), nn.Linear(width, 100)
        self.blocks = nn.ModuleList(Guarded(width) for _ in range(depth))

    def forward(self, images: Tensor) -> Tensor:
        x = self.patches(images)
        for block in self.blocks:
            x = block(x)
        return self.head(x.mean(1))


class Guarded(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.block = Block(width)

    def forward(self, x: Tensor) -> Tensor:
        x = self.block(x)
        torch._assert_async(~torch.isnan(x).any(), "not a number in a block")
        return x


def make(device: str) -> Callable[[], object]:
    model = Classifier().to(device)
    compiled = torch.compile(model)
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
