"""A masked language model that picks the masked positions inside of its forward."""

from __future__ import annotations

from collections.abc import Callable

import torch
from parts import Block, adamw
from torch import Tensor, nn
from torch.nn import functional


class Masked(nn.Module):
    def __init__(self, width: int = 256, depth: int = 4, words: int = 1000) -> None:
        super().__init__()
        self.embed, self.head = nn.Embedding(words, width), nn.Linear(width, words)
        self.blocks = nn.Sequential(*[Block(width) for _ in range(depth)])

    def forward(self, tokens: Tensor, labels: Tensor) -> Tensor:
        x = self.blocks(self.embed(tokens))
        return functional.cross_entropy(self.head(x).flatten(0, 1), labels.flatten(), ignore_index=-100)


def make(device: str) -> Callable[[], object]:
    model = Masked().to(device)
    compiled = torch.compile(model)
    optimizer = adamw(model)
    tokens = torch.randint(1000, (8, 128), device=device)
    labels = torch.where(torch.rand(8, 128, device=device) < 0.15, tokens, -100)

    def step() -> object:
        loss = compiled(tokens, labels)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        return None

    return step


if __name__ == "__main__":
    train = make("cuda")
    for _ in range(1000):
        train()
