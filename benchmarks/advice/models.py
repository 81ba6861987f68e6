"""The two models of the pairs, from plain torch, and what a training step of each is given. Needs torch alone."""

from __future__ import annotations

import torch
from torch import Tensor, nn


class Block(nn.Module):
    """Attention and a feed-forward layer, each behind a norm."""

    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.before, self.after = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x: Tensor) -> Tensor:
        b, t, d = x.shape
        q, k, v = self.qkv(self.before(x)).view(b, t, 3, self.heads, d // self.heads).permute(2, 0, 3, 1, 4)
        mixed = nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.out(mixed.transpose(1, 2).reshape(b, t, d))
        return x + self.down(nn.functional.gelu(self.up(self.after(x))))


class Language(nn.Module):
    """A small GPT: 6 layers of width 512 over 8192 tokens."""

    def __init__(self, width: int = 512, depth: int = 6, words: int = 8192) -> None:
        super().__init__()
        self.embed = nn.Embedding(words, width)
        self.blocks = nn.ModuleList(Block(width, 8) for _ in range(depth))
        self.norm, self.head = nn.LayerNorm(width), nn.Linear(width, words, bias=False)

    def forward(self, ids: Tensor) -> Tensor:
        x = self.embed(ids)
        for block in self.blocks:
            x = block(x)
        return self.head(self.norm(x))


class Residual(nn.Module):
    """Two convolutions with a shortcut."""

    def __init__(self, before: int, after: int, stride: int) -> None:
        super().__init__()
        self.first = nn.Conv2d(before, after, 3, stride, 1, bias=False)
        self.second = nn.Conv2d(after, after, 3, 1, 1, bias=False)
        self.norm1, self.norm2 = nn.BatchNorm2d(after), nn.BatchNorm2d(after)
        self.shortcut = nn.Conv2d(before, after, 1, stride, bias=False) if stride > 1 else nn.Identity()

    def forward(self, x: Tensor) -> Tensor:
        y = self.norm2(self.second(torch.relu(self.norm1(self.first(x)))))
        return torch.relu(y + self.shortcut(x))


class Vision(nn.Module):
    """A network of the size of ResNet-18, for images of 112 x 112."""

    def __init__(self) -> None:
        super().__init__()
        widths = (64, 128, 256, 512)
        self.stem = nn.Conv2d(3, 64, 7, 2, 3, bias=False)
        layers: list[nn.Module] = []
        for number, width in enumerate(widths):
            layers.append(Residual(widths[max(number - 1, 0)], width, 1 if number == 0 else 2))
            layers.append(Residual(width, width, 1))
        self.layers = nn.Sequential(*layers)
        self.head = nn.Linear(512, 1000)

    def forward(self, x: Tensor) -> Tensor:
        return self.head(self.layers(torch.relu(self.stem(x))).mean((2, 3)))


def make(name: str, large: bool = False) -> nn.Module:
    """`language` or `vision`, on the device, with weights of one seed; `large` is a GPT of 8 layers of width 1024."""
    torch.manual_seed(0)
    if name == "vision":
        return Vision().to(device())
    return (Language(1024, 8) if large else Language()).to(device())


def device() -> str:
    """Where the pairs run."""
    return "cuda" if torch.cuda.is_available() else "cpu"


def batch(name: str, size: int, seed: int = 1, where: str | None = None) -> tuple[Tensor, Tensor]:
    """Inputs and targets: ids `[size, 256]` twice, or images `[size, 3, 112, 112]` with labels `[size]`."""
    draw = torch.Generator().manual_seed(seed)
    place = device() if where is None else where
    if name == "language":
        ids = torch.randint(0, 8192, (size, 256), generator=draw).to(place)
        return ids, ids
    images = torch.randn(size, 3, 112, 112, generator=draw).to(place)
    return images, torch.randint(0, 1000, (size,), generator=draw).to(place)


def loss_of(output: Tensor, target: Tensor) -> Tensor:
    """The cross entropy over the last dimension of `output`."""
    return nn.functional.cross_entropy(output.reshape(-1, output.shape[-1]), target.reshape(-1))
