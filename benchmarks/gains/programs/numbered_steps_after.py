"""A model that is given the number of the step as a number."""

from __future__ import annotations

from collections.abc import Callable

import torch
from parts import Block, adamw
from torch import Tensor, nn


class Net(nn.Module):
    def __init__(self, width: int = 256, depth: int = 4) -> None:
        super().__init__()
        self.blocks = nn.Sequential(*[Block(width) for _ in range(depth)])

    def forward(self, x: Tensor, strength: float | Tensor) -> Tensor:
        return self.blocks(x) * strength


def make(device: str) -> Callable[[], object]:
    model = Net().to(device)
    compiled = torch.compile(model)
    optimizer = adamw(model)
    x = torch.randn(8, 128, 256, device=device)

    def steps() -> object:
        for number in range(4):
            loss = compiled(x, torch.tensor(number / 10, device=device)).square().mean()
            loss.backward()
            optimizer.step()
            optimizer.zero_grad()
        return None

    return steps


if __name__ == "__main__":
    train = make("cuda")
    for _ in range(100):
        train()
