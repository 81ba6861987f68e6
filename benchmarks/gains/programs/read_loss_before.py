"""A training loop that reads its loss in each step."""

from __future__ import annotations

from collections.abc import Callable

import torch
from parts import Block, adamw
from torch import Tensor, nn
from torch.nn import functional


class Net(nn.Module):
    def __init__(self, width: int = 256, depth: int = 4) -> None:
        super().__init__()
        self.embed, self.head = nn.Embedding(1000, width), nn.Linear(width, 1000)
        self.blocks = nn.Sequential(*[Block(width) for _ in range(depth)])

    def forward(self, tokens: Tensor) -> Tensor:
        return self.head(self.blocks(self.embed(tokens)))


def train(model: nn.Module, optimizer: torch.optim.Optimizer, batches: list[Tensor]) -> float:
    total = 0.0
    for tokens in batches:
        loss = functional.cross_entropy(model(tokens).flatten(0, 1), tokens.flatten())
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        total += loss.item()
    return total


def make(device: str) -> Callable[[], object]:
    model = Net().to(device)
    compiled = torch.compile(model)
    optimizer = adamw(model)
    batches = [torch.randint(1000, (8, 128), device=device) for _ in range(10)]
    return lambda: train(compiled, optimizer, batches)


if __name__ == "__main__":
    epoch = make("cuda")
    for _ in range(100):
        epoch()
