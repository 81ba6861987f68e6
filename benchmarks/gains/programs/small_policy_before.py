"""A policy that is asked for one action at a time, in the default mode."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor, nn


class Policy(nn.Module):
    def __init__(self, width: int = 256) -> None:
        super().__init__()
        self.cell = nn.GRUCell(64, width)
        layers = [(nn.Linear(width, width), nn.LayerNorm(width), nn.SiLU()) for _ in range(3)]
        self.body = nn.Sequential(*[part for layer in layers for part in layer])
        self.head = nn.Linear(width, 8)

    def forward(self, seen: Tensor, state: Tensor) -> tuple[Tensor, Tensor]:
        state = self.cell(seen, state)
        return self.head(self.body(state)), state


def make(device: str) -> Callable[[], object]:
    model = Policy().to(device).eval()
    compiled = torch.compile(model)
    seen, state = torch.randn(1, 64, device=device), torch.zeros(1, 256, device=device)

    @torch.no_grad()
    def step() -> object:
        return compiled(seen, state)[0].argmax(-1)

    return step


if __name__ == "__main__":
    serve = make("cuda")
    for _ in range(1000):
        serve()
