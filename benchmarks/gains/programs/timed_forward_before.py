"""A network that notes how long its encoder took, inside of its forward."""

from __future__ import annotations

import time
from collections.abc import Callable

import torch
from parts import Residual, adamw
from torch import Tensor, nn
from torch.nn import functional


class Net(nn.Module):
    def __init__(self, channels: int = 64, depth: int = 4) -> None:
        super().__init__()
        self.stem = nn.Conv2d(3, channels, 7, 4, 3)
        self.encoder = nn.Sequential(*[Residual(channels) for _ in range(depth)])
        self.decoder = nn.Sequential(*[Residual(channels) for _ in range(depth)])
        self.head = nn.Linear(channels, 100)
        self.seconds = 0.0

    def forward(self, images: Tensor) -> Tensor:
        begun = time.perf_counter()
        x = self.encoder(self.stem(images))
        self.seconds += time.perf_counter() - begun
        return self.head(self.decoder(x).mean((2, 3)))


def make(device: str) -> Callable[[], object]:
    model = Net().to(device)
    compiled = torch.compile(model)
    optimizer = adamw(model)
    images = torch.randn(8, 3, 128, 128, device=device)
    labels = torch.randint(100, (8,), device=device)

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
