"""A transformer that leaves out layers by chance, with draws read from tensors."""

from __future__ import annotations

from collections.abc import Callable

import torch
from parts import Block, adamw
from torch import Tensor, nn


class Model(nn.Module):
    def __init__(self, width: int = 256, depth: int = 6, dropped: float = 0.1) -> None:
        super().__init__()
        self.blocks, self.dropped = nn.ModuleList(Block(width) for _ in range(depth)), dropped

    def forward(self, x: Tensor) -> Tensor:
        for block in self.blocks:
            kept = torch.rand((), device=x.device) >= self.dropped
            x = torch.where(kept, block(x), x)
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
