"""A model that is asked for texts of two lengths."""

from __future__ import annotations

from collections.abc import Callable

import torch
from parts import Block
from torch import Tensor, nn


class Net(nn.Module):
    def __init__(self, width: int = 256, depth: int = 4) -> None:
        super().__init__()
        self.embed, self.head = nn.Embedding(1000, width), nn.Linear(width, 1000)
        self.blocks = nn.Sequential(*[Block(width) for _ in range(depth)])

    def forward(self, tokens: Tensor) -> Tensor:
        return self.head(self.blocks(self.embed(tokens)))


def make(device: str) -> Callable[[], object]:
    model = Net().to(device).eval()
    compiled = torch.compile(model)

    @torch.no_grad()
    def calls() -> object:
        for length in (64, 96):
            tokens = torch.randint(1000, (2, length), device=device)
            compiled(tokens)
        return None

    return calls


if __name__ == "__main__":
    serve = make("cuda")
    for _ in range(100):
        serve()
