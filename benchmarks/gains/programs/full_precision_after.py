"""A mixer of wide layers in float32 without TF32."""

from __future__ import annotations

from collections.abc import Callable

import torch
from parts import Feed, adamw
from torch import Tensor, nn


class Mixer(nn.Module):
    """Shapes: (batch, length, width) in and out."""

    def __init__(self, width: int = 1024, length: int = 256, depth: int = 4) -> None:
        super().__init__()
        self.rows = nn.ModuleList(Feed(length) for _ in range(depth))
        self.columns = nn.ModuleList(Feed(width) for _ in range(depth))

    def forward(self, x: Tensor) -> Tensor:
        for row, column in zip(self.rows, self.columns):
            x = x + row(x.transpose(1, 2)).transpose(1, 2)
            x = x + column(x)
        return x


def train(model: nn.Module, optimizer: torch.optim.Optimizer, tokens: Tensor) -> None:
    loss = model(tokens).square().mean()
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()


def make(device: str) -> Callable[[], object]:
    torch.set_float32_matmul_precision("high")
    model = Mixer().to(device)
    compiled = torch.compile(model)
    optimizer = adamw(model)
    tokens = torch.randn(16, 256, 1024, device=device)
    return lambda: train(compiled, optimizer, tokens)


if __name__ == "__main__":
    step = make("cuda")
    for _ in range(1000):
        step()
