import logging

import torch
from missing_package import thing
from torch import nn

from outside import far_away
from pkg.helper import scale, scale_in_place

logger = logging.getLogger(__name__)
CALLS = []


class Block(nn.Module):
    def __init__(self, width: int, threshold: float = 0.5):
        super().__init__()
        self.linear = nn.Linear(width, width)
        self.threshold = threshold
        self.steps = 0

    def forward(self, x: torch.Tensor, mask: torch.Tensor | None = None) -> torch.Tensor:
        self.steps += 1
        if x.sum() > self.threshold:
            x = x * 2
        if mask is not None and mask.any():
            x = x.masked_fill(mask, 0.0)
        return scale(self.linear(x)) + scale(x)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.blocks = nn.ModuleList([Block(3) for _ in range(4)])

    def forward(self, x: torch.Tensor):
        print("in", x.shape)
        for block in self.blocks:
            x = block(x)
        total = x.sum().item() + x.max().item()
        if x.mean() > 0:  # compilelint: ignore[CL101] measured, and it does not matter
            total += 1
        CALLS.append(total)
        logger.info("out %s", total)  # compilelint: ignore
        y = x.cpu().numpy()  # noqa: CL102
        return far_away(x), thing(y), x.nonzero()  # compilelint: ignore[CL999]


def loss(x: torch.Tensor, y: torch.Tensor):  # compilelint: ignore[CL101]
    scale_in_place(x)
    return float((x - y).abs().mean())  # compilelint: ignore[CL10
