"""Small models of five kinds, with what costs something planted in every block.

Each is built from a `Planted`: which cost stands in the blocks, and how many blocks there are. Sizes are chosen so that
`policy`, `gpt_small`, `vit` and `unet` leave the host the bottleneck at batch 1, and `gpt_large` fills an accelerator
(`gpt_wide` is the same model in float32).
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional

PLANTED = ("break", "branch", "copy", "scalar", "split")


@dataclass(frozen=True)
class Planted:
    """What is planted in each block: nothing, or one of `PLANTED` (`branch` is a break that waits for data)."""

    cost: str = ""
    blocks: int = 4


def _copied(x: Tensor) -> Tensor:
    return x.clone()


# An operator that no CUDA graph takes in: the graph ends before it, and another begins after.
outside = torch.library.custom_op("costs::outside", _copied, mutates_args=(), tags=(torch.Tag.cudagraph_unsafe,))
outside.register_fake(torch.empty_like)
outside.register_autograd(lambda _context, gradient: gradient)


class Plant(nn.Module):
    """What a block does beside its own work. Shapes: any in, the same out."""

    def __init__(self, planted: Planted, width: int) -> None:
        super().__init__()
        self.cost = planted.cost
        self.host = torch.tensor(1.0) if planted.cost == "scalar" else None
        self.table = torch.ones(width) if planted.cost == "copy" else None

    def forward(self, x: Tensor) -> Tensor:
        """The input, changed by nothing but rounding."""
        if self.cost == "break":
            torch._dynamo.graph_break()
        elif self.cost == "branch":
            if x.detach().amax() > 1e30:
                return x * 0.5
        elif self.cost == "copy":
            assert self.table is not None
            return x * self.table.to(x.device)
        elif self.cost == "scalar":
            return x * self.host
        elif self.cost == "split":
            return outside(x)
        return x


class Attention(nn.Module):
    """One transformer block. Shapes: (batch, length, width) in and out."""

    def __init__(self, planted: Planted, width: int, causal: bool) -> None:
        super().__init__()
        self.heads, self.causal = width // 64, causal
        self.before, self.between = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.feed = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))
        self.plant = Plant(planted, width)

    def forward(self, x: Tensor) -> Tensor:
        """The block's output."""
        batch, length, width = x.shape
        split = self.qkv(self.before(x)).view(batch, length, 3, self.heads, width // self.heads)
        q, k, v = split.permute(2, 0, 3, 1, 4)
        y = functional.scaled_dot_product_attention(q, k, v, is_causal=self.causal).transpose(1, 2).reshape(x.shape)
        x = x + self.out(self.plant(y))
        return x + self.feed(self.between(x))


class Transformer(nn.Module):
    """Tokens (batch, length) or images (batch, 3, 64, 64) to logits."""

    def __init__(self, planted: Planted, width: int, images: bool, length: int) -> None:
        super().__init__()
        self.images = images
        self.embed: nn.Module = nn.Conv2d(3, width, 8, 8) if images else nn.Embedding(1000, width)
        self.register_buffer("places", torch.randn(1, length, width) * 0.02)
        self.blocks = nn.ModuleList(Attention(planted, width, not images) for _ in range(planted.blocks))
        self.head = nn.Linear(width, 1000)

    def forward(self, x: Tensor) -> Tensor:
        """Logits, (batch, 1000) of images and (batch, length, 1000) of tokens."""
        h = self.embed(x)
        if self.images:
            h = h.flatten(2).transpose(1, 2)
        h = h + self.places[:, : h.shape[1]]
        for block in self.blocks:
            h = block(h)
        return self.head(h.mean(1) if self.images else h)


class Residual(nn.Module):
    """Two convolutions with a shortcut. Shapes: (batch, channels, height, width) in and out."""

    def __init__(self, planted: Planted, channels: int) -> None:
        super().__init__()
        self.first, self.second = nn.Conv2d(channels, channels, 3, 1, 1), nn.Conv2d(channels, channels, 3, 1, 1)
        self.before, self.between = nn.GroupNorm(8, channels), nn.GroupNorm(8, channels)
        self.plant = Plant(planted, 32)

    def forward(self, x: Tensor) -> Tensor:
        """The block's output."""
        h = self.plant(self.first(functional.silu(self.before(x))))
        return x + self.second(functional.silu(self.between(h)))


class UNet(nn.Module):
    """Residual blocks at one resolution. Shapes: (batch, 8, 32, 32) in and out."""

    def __init__(self, planted: Planted, channels: int = 64) -> None:
        super().__init__()
        self.into, self.out = nn.Conv2d(8, channels, 3, 1, 1), nn.Conv2d(channels, 8, 3, 1, 1)
        self.blocks = nn.ModuleList(Residual(planted, channels) for _ in range(planted.blocks))

    def forward(self, x: Tensor) -> Tensor:
        """The denoised image."""
        h = self.into(x)
        for block in self.blocks:
            h = block(h)
        return self.out(h)


class Policy(nn.Module):
    """A perceptron as agents have it. Shapes: (batch, 64) to (batch, 64)."""

    def __init__(self, planted: Planted, width: int = 256) -> None:
        super().__init__()
        self.into, self.out = nn.Linear(64, width), nn.Linear(width, 64)
        self.blocks = nn.ModuleList(nn.Linear(width, width) for _ in range(planted.blocks))
        self.plants = nn.ModuleList(Plant(planted, width) for _ in range(planted.blocks))

    def forward(self, x: Tensor) -> Tensor:
        """The means of the actions."""
        h = torch.tanh(self.into(x))
        for block, plant in zip(self.blocks, self.plants, strict=True):
            h = torch.tanh(plant(block(h)))
        return self.out(h)


KINDS = ("policy", "gpt_small", "gpt_large", "gpt_wide", "vit", "unet")
_WIDE = ("gpt_large", "gpt_wide")
_BATCH = {"policy": 64, "gpt_small": 8, "gpt_large": 16, "gpt_wide": 16, "vit": 32, "unet": 16}


def build(kind: str, planted: Planted, device: str) -> nn.Module:
    """A model of a kind with fresh random weights on the device."""
    if kind == "policy":
        model: nn.Module = Policy(planted)
    elif kind == "unet":
        model = UNet(planted)
    elif kind == "vit":
        model = Transformer(planted, 256, images=True, length=64)
    else:
        model = Transformer(planted, 1024 if kind in _WIDE else 256, images=False, length=512)
    # Tables and scalars that are planted stay on the host: they are plain attributes.
    return model.to(device)


def sample(kind: str, device: str, batch: int = 0) -> Tensor:
    """An input of a kind; a training batch of it where no size is given."""
    batch = batch or _BATCH[kind]
    if kind.startswith("gpt"):
        return torch.randint(0, 1000, (batch, 512 if kind in _WIDE else 128), device=device)
    shape = {"policy": (64,), "vit": (3, 64, 64), "unet": (8, 32, 32)}[kind]
    return torch.randn(batch, *shape, device=device)
