"""A transformer that moves a table of angles to the device in each block."""

from __future__ import annotations

from collections.abc import Callable

import torch
from parts import Attention, Feed, adamw
from torch import Tensor, nn


class Turned(nn.Module):
    def __init__(self, width: int, length: int = 128) -> None:
        super().__init__()
        self.attend, self.feed = Attention(width), Feed(width)
        angles = torch.outer(torch.arange(length), 1e4 ** -torch.linspace(0, 1, width))
        self.register_buffer("angles", angles)

    def forward(self, x: Tensor) -> Tensor:
        x = x * self.angles.to(x.device).cos()
        x = x + self.attend(x)
        return x + self.feed(x)


class Model(nn.Module):
    def __init__(self, width: int = 256, depth: int = 6) -> None:
        super().__init__()
        self.blocks = nn.ModuleList(Turned(width) for _ in range(depth))

    def forward(self, x: Tensor) -> Tensor:
        for block in self.blocks:
            x = block(x)
        return x


def make(device: str) -> Callable[[], object]:
    model = Model().to(device)
    compiled = torch.compile(model)
    optimizer = adamw(model)
    tokens = torch.randn(8, 128, 256, device=device)

    def step() -> object:
        loss = compiled(tokens).square().mean()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        return None

    return step


if __name__ == "__main__":
    train = make("cuda")
    for _ in range(1000):
        train()
