"""Experts that take the tokens routed to them, split by counts read from the device."""

from __future__ import annotations

from collections.abc import Callable

import torch
from parts import Attention, Feed, adamw
from torch import Tensor, nn


class Experts(nn.Module):
    def __init__(self, width: int, number: int = 4) -> None:
        super().__init__()
        self.router = nn.Linear(width, number)
        self.experts = nn.ModuleList(Feed(width) for _ in range(number))

    def forward(self, x: Tensor) -> Tensor:
        flat = x.flatten(0, 1)
        weights, chosen = self.router(flat).softmax(-1).max(-1)
        order = chosen.argsort()
        counts = chosen.bincount(minlength=len(self.experts)).tolist()
        parts = flat[order].split(counts)
        done = torch.cat([expert(part) for expert, part in zip(self.experts, parts)])
        y = torch.empty_like(done).index_copy(0, order, done)
        return (y * weights[:, None]).view_as(x)


class Model(nn.Module):
    def __init__(self, width: int = 256, depth: int = 4) -> None:
        super().__init__()
        self.attends = nn.ModuleList(Attention(width) for _ in range(depth))
        self.feeds = nn.ModuleList(Experts(width) for _ in range(depth))

    def forward(self, x: Tensor) -> Tensor:
        for attend, feed in zip(self.attends, self.feeds):
            x = x + attend(x)
            x = x + feed(x)
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
