"""A decoder that logs the shape it was given."""

from __future__ import annotations

import logging
from collections.abc import Callable

import torch
from parts import Block, adamw
from torch import Tensor, nn

logger = logging.getLogger(__name__)


class Model(nn.Module):
    def __init__(self, width: int = 256, depth: int = 4) -> None:
        super().__init__()
        self.encoder = nn.Sequential(*[Block(width) for _ in range(depth)])
        self.decoder = nn.Sequential(*[Block(width) for _ in range(depth)])

    def forward(self, x: Tensor) -> Tensor:
        x = self.encoder(x)
        logger.debug("decoding %s", x.shape)
        return self.decoder(x)


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
