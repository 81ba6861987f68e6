"""Quantizers that look at a flag on the device to see whether their codebook was set up."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor, nn


class Quantizer(nn.Module):
    def __init__(self, width: int, size: int = 256) -> None:
        super().__init__()
        self.register_buffer("codes", torch.randn(size, width))
        self.ready = True

    def set_up(self, x: Tensor) -> None:
        self.codes.copy_(x[: len(self.codes)])

    def forward(self, x: Tensor) -> Tensor:
        if not self.ready:
            self.set_up(x)
        return self.codes[torch.cdist(x, self.codes).argmin(-1)]


class Codec(nn.Module):
    """Shapes: (batch, 1, samples) in and out."""

    def __init__(self, width: int = 128, depth: int = 4) -> None:
        super().__init__()
        self.encode = nn.Sequential(nn.Conv1d(1, width, 8, 8), nn.ELU(), nn.Conv1d(width, width, 8, 8))
        self.decode = nn.Sequential(
            nn.ConvTranspose1d(width, width, 8, 8), nn.ELU(), nn.ConvTranspose1d(width, 1, 8, 8)
        )
        self.quantizers = nn.ModuleList(Quantizer(width) for _ in range(depth))

    def forward(self, wave: Tensor) -> Tensor:
        left = self.encode(wave).transpose(1, 2)
        kept = torch.zeros_like(left)
        for quantizer in self.quantizers:
            code = quantizer(left)
            left, kept = left - code, kept + code
        return self.decode(kept.transpose(1, 2))


def make(device: str) -> Callable[[], object]:
    model = Codec().to(device).eval()
    compiled = torch.compile(model)
    wave = torch.randn(1, 1, 24000 // 64 * 64, device=device)

    @torch.no_grad()
    def step() -> object:
        return compiled(wave)

    return step


if __name__ == "__main__":
    serve = make("cuda")
    for _ in range(1000):
        serve()
