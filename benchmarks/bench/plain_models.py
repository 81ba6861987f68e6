"""Five architectures in plain torch, in any size, and three with a planted slowdown, to be measured.

They are written as their libraries write them (transformers: decoder, encoder and vision transformer; timm: residual
and ConvNeXt networks), so that they run where those libraries are not installed.
"""

from __future__ import annotations

import torch
from torch import nn
from torch.nn import functional


class Attention(nn.Module):
    """Self-attention with one projection for queries, keys and values."""

    def __init__(self, width: int, heads: int, causal: bool) -> None:
        super().__init__()
        self.heads, self.causal = heads, causal
        self.project = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        batch, length, width = x.shape
        parts = self.project(x).view(batch, length, 3, self.heads, width // self.heads).permute(2, 0, 3, 1, 4)
        mixed = functional.scaled_dot_product_attention(*parts.unbind(0), is_causal=self.causal)
        return self.out(mixed.transpose(1, 2).reshape(batch, length, width))


class Block(nn.Module):
    """A transformer's block: normalised before each half, or, as in BERT, behind it."""

    def __init__(self, width: int, heads: int, causal: bool = False, before: bool = True) -> None:
        super().__init__()
        self.before = before
        self.first, self.second = nn.LayerNorm(width), nn.LayerNorm(width)
        self.attention = Attention(width, heads, causal)
        self.widen, self.narrow = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        if self.before:
            x = x + self.attention(self.first(x))
            return x + self.feed(self.second(x))
        x = self.first(x + self.attention(x))
        return self.second(x + self.feed(x))

    def feed(self, x: torch.Tensor) -> torch.Tensor:
        return self.narrow(functional.gelu(self.widen(x)))


class Decoder(nn.Module):
    """GPT-2-like: token and position embeddings, causal blocks, logits over the vocabulary."""

    def __init__(self, width: int = 768, layers: int = 12, heads: int = 12, vocabulary: int = 50257) -> None:
        super().__init__()
        self.tokens, self.places = nn.Embedding(vocabulary, width), nn.Embedding(1024, width)
        self.blocks = nn.ModuleList(self.block(width, heads) for _ in range(layers))
        self.norm, self.head = nn.LayerNorm(width), nn.Linear(width, vocabulary, bias=False)

    def block(self, width: int, heads: int) -> nn.Module:
        return Block(width, heads, causal=True)

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        x = self.tokens(ids) + self.places(torch.arange(ids.shape[1], device=ids.device))
        for block in self.blocks:
            x = block(x)
        return self.head(self.norm(x))


class Encoder(nn.Module):
    """BERT-like: post-normalised blocks and a pooled first token."""

    def __init__(self, width: int = 768, layers: int = 12, heads: int = 12, vocabulary: int = 30522) -> None:
        super().__init__()
        self.tokens, self.places = nn.Embedding(vocabulary, width), nn.Embedding(512, width)
        self.norm = nn.LayerNorm(width)
        self.blocks = nn.ModuleList(Block(width, heads, before=False) for _ in range(layers))
        self.pool = nn.Linear(width, width)

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        x = self.norm(self.tokens(ids) + self.places(torch.arange(ids.shape[1], device=ids.device)))
        for block in self.blocks:
            x = block(x)
        return torch.tanh(self.pool(x[:, 0]))


class Vision(nn.Module):
    """ViT-like: patches by a convolution, a class token, pre-normalised blocks."""

    def __init__(self, width: int = 768, layers: int = 12, heads: int = 12, size: int = 224, patch: int = 16) -> None:
        super().__init__()
        self.patch = nn.Conv2d(3, width, patch, patch)
        self.token = nn.Parameter(torch.zeros(1, 1, width))
        self.places = nn.Parameter(0.02 * torch.randn(1, (size // patch) ** 2 + 1, width))
        self.blocks = nn.Sequential(*(Block(width, heads) for _ in range(layers)))
        self.norm, self.head = nn.LayerNorm(width), nn.Linear(width, 1000)

    def forward(self, image: torch.Tensor) -> torch.Tensor:
        x = self.patch(image).flatten(2).transpose(1, 2)
        x = torch.cat([self.token.expand(x.shape[0], -1, -1), x], dim=1) + self.places
        return self.head(self.norm(self.blocks(x))[:, 0])


class Bottleneck(nn.Module):
    """ResNet's block: 1x1, 3x3, 1x1, each with batch norm, and a shortcut."""

    def __init__(self, before: int, width: int, stride: int) -> None:
        super().__init__()
        after = 4 * width
        self.layers = nn.Sequential(
            *(nn.Conv2d(before, width, 1, bias=False), nn.BatchNorm2d(width), nn.ReLU()),
            *(nn.Conv2d(width, width, 3, stride, 1, bias=False), nn.BatchNorm2d(width), nn.ReLU()),
            *(nn.Conv2d(width, after, 1, bias=False), nn.BatchNorm2d(after)),
        )
        same = stride == 1 and before == after
        plain = nn.Conv2d(before, after, 1, stride, bias=False)
        self.shortcut = nn.Identity() if same else nn.Sequential(plain, nn.BatchNorm2d(after))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return functional.relu(self.layers(x) + self.shortcut(x))


class Residual(nn.Module):
    """ResNet-50-like."""

    def __init__(self, width: int = 64, depths: tuple[int, ...] = (3, 4, 6, 3)) -> None:
        super().__init__()
        self.stem = nn.Sequential(
            nn.Conv2d(3, width, 7, 2, 3, bias=False), nn.BatchNorm2d(width), nn.ReLU(), nn.MaxPool2d(3, 2, 1)
        )
        stages: list[nn.Module] = []
        before = width
        for stage, depth in enumerate(depths):
            inner = width * 2**stage
            for number in range(depth):
                stages.append(Bottleneck(before, inner, 2 if stage and not number else 1))
                before = 4 * inner
        self.stages = nn.Sequential(*stages)
        self.head = nn.Linear(before, 1000)

    def forward(self, image: torch.Tensor) -> torch.Tensor:
        return self.head(self.stages(self.stem(image)).mean((2, 3)))


class Mixing(nn.Module):
    """ConvNeXt's block: a wide depthwise convolution, then two pointwise layers, scaled."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.deep = nn.Conv2d(width, width, 7, padding=3, groups=width)
        self.norm = nn.LayerNorm(width)
        self.widen, self.narrow = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)
        self.scale = nn.Parameter(torch.full((width,), 1e-6))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = self.norm(self.deep(x).permute(0, 2, 3, 1))
        y = self.scale * self.narrow(functional.gelu(self.widen(y)))
        return x + y.permute(0, 3, 1, 2)


class Shrink(nn.Module):
    """Between ConvNeXt's stages: normalise over channels and halve the picture."""

    def __init__(self, before: int, after: int) -> None:
        super().__init__()
        self.norm, self.halve = nn.LayerNorm(before), nn.Conv2d(before, after, 2, 2)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.halve(self.norm(x.permute(0, 2, 3, 1)).permute(0, 3, 1, 2))


class ConvNext(nn.Module):
    """ConvNeXt-tiny-like."""

    def __init__(self, width: int = 96, depths: tuple[int, ...] = (3, 3, 9, 3)) -> None:
        super().__init__()
        self.stem = nn.Conv2d(3, width, 4, 4)
        stages: list[nn.Module] = []
        for stage, depth in enumerate(depths):
            if stage:
                stages.append(Shrink(width * 2 ** (stage - 1), width * 2**stage))
            stages += [Mixing(width * 2**stage) for _ in range(depth)]
        self.stages = nn.Sequential(*stages)
        last = width * 2 ** (len(depths) - 1)
        self.norm, self.head = nn.LayerNorm(last), nn.Linear(last, 1000)

    def forward(self, image: torch.Tensor) -> torch.Tensor:
        return self.head(self.norm(self.stages(self.stem(image)).mean((2, 3))))


# --------------------------------------------------------------------- planted


class BreakingBlock(Block):
    """Reads a number from the device in the middle, which ends the graph."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = x + self.attention(self.first(x))
        if x.abs().max() > 1e6:
            x = x.clamp(-1e6, 1e6)
        return x + self.feed(self.second(x))


class TravellingBlock(Block):
    """Normalises on the CPU: there and back in every block."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = x + self.attention(self.first(x))
        y = functional.layer_norm(x.cpu(), x.shape[-1:]).to(x.device)
        return x + self.feed(y)


class Breaking(Decoder):
    """Planted: a break in the block."""

    def block(self, width: int, heads: int) -> nn.Module:
        return BreakingBlock(width, heads, causal=True)


class Travelling(Decoder):
    """Planted: `.cpu()` in the middle of the block."""

    def block(self, width: int, heads: int) -> nn.Module:
        return TravellingBlock(width, heads, causal=True)


class Counting(Decoder):
    """Planted: a counter that the graph depends on, so that each call compiles again until Dynamo gives up."""

    def __init__(self, width: int = 768, layers: int = 12, heads: int = 12, vocabulary: int = 50257) -> None:
        super().__init__(width, layers, heads, vocabulary)
        self.calls = 0

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        self.calls += 1
        if self.calls % 1000 == 0:
            return super().forward(ids) * 1.0
        return super().forward(ids)
