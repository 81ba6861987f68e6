"""Layers, in both modes, and small models of them."""

import math

import torch
from torch import nn
from torch.nn import functional as F


def make_batch_norm():
    return nn.Sequential(nn.Conv2d(2, 4, 3), nn.BatchNorm2d(4), nn.ReLU(inplace=True)), [
        ((torch.randn(2, 2, 6, 6),), {})
    ]


def make_dropout():
    return nn.Sequential(nn.Linear(4, 4), nn.Dropout(0.1)), [((torch.randn(2, 4),), {})]


def make_lstm():
    return nn.LSTM(4, 8, batch_first=True), [((torch.randn(2, 3, 4),), {})]


def make_attention():
    return nn.MultiheadAttention(8, 2, batch_first=True), [((torch.randn(2, 3, 8),) * 3, {})]


def make_encoder_layer():
    return nn.TransformerEncoderLayer(8, 2, 16, batch_first=True), [((torch.randn(2, 3, 8),), {})]


def make_spectral_norm():
    return nn.utils.parametrizations.spectral_norm(nn.Linear(4, 4)), [((torch.randn(2, 4),), {})]


def make_weight_norm():
    return nn.utils.parametrizations.weight_norm(nn.Linear(4, 4)), [((torch.randn(2, 4),), {})]


def make_limited_embedding():
    return nn.Embedding(8, 4, max_norm=1.0), [((torch.tensor([1, 2]),), {})]


def make_bag():
    return nn.EmbeddingBag(8, 4), [((torch.tensor([[1, 2]]),), {})]


class Positions(nn.Module):
    def __init__(self, width=8):
        super().__init__()
        self.width = width

    def forward(self, x):
        position = torch.arange(x.shape[1]).unsqueeze(1)
        rate = torch.exp(torch.arange(0, self.width, 2) * (-math.log(10000.0) / self.width))
        table = torch.zeros(x.shape[1], self.width)
        table[:, 0::2] = torch.sin(position * rate)
        table[:, 1::2] = torch.cos(position * rate)
        return x + table.to(x.device)


def make_positions():
    return Positions(), [((torch.randn(2, 4, 8),), {})]


class PositionsBuffer(nn.Module):
    def __init__(self, width=8, length=16):
        super().__init__()
        position = torch.arange(length).unsqueeze(1)
        rate = torch.exp(torch.arange(0, width, 2) * (-math.log(10000.0) / width))
        table = torch.zeros(length, width)
        table[:, 0::2] = torch.sin(position * rate)
        table[:, 1::2] = torch.cos(position * rate)
        self.register_buffer("table", table)

    def forward(self, x):
        return x + self.table[: x.shape[1]]


def make_positions_buffer():
    return PositionsBuffer(), [((torch.randn(2, 4, 8),), {})]


class Block(nn.Module):
    def __init__(self, width=8, heads=2):
        super().__init__()
        self.heads = heads
        self.norm = nn.LayerNorm(width)
        self.qkv = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)
        self.register_buffer("bias", torch.ones(16, 16).tril().view(1, 1, 16, 16))

    def forward(self, x):
        b, n, d = x.shape
        q, k, v = self.qkv(self.norm(x)).split(d, dim=2)
        q, k, v = (t.view(b, n, self.heads, d // self.heads).transpose(1, 2) for t in (q, k, v))
        w = (q @ k.transpose(-2, -1)) / math.sqrt(d // self.heads)
        w = w.masked_fill(self.bias[:, :, :n, :n] == 0, float("-inf")).softmax(-1)
        return x + self.out((w @ v).transpose(1, 2).reshape(b, n, d))


def make_block():
    return Block(), [((torch.randn(2, 4, 8),), {})]


class BlockMaskMade(Block):
    def forward(self, x):
        b, n, d = x.shape
        q, k, v = self.qkv(self.norm(x)).split(d, dim=2)
        q, k, v = (t.view(b, n, self.heads, d // self.heads).transpose(1, 2) for t in (q, k, v))
        mask = torch.triu(torch.full((n, n), float("-inf")), diagonal=1).to(x)
        w = ((q @ k.transpose(-2, -1)) / math.sqrt(d // self.heads) + mask).softmax(-1)
        return x + self.out((w @ v).transpose(1, 2).reshape(b, n, d))


def make_block_mask_made():
    return BlockMaskMade(), [((torch.randn(2, 4, 8),), {})]


class Quantizer(nn.Module):
    def __init__(self):
        super().__init__()
        self.codes = nn.Embedding(8, 4)
        self.register_buffer("usage", torch.zeros(8))

    def forward(self, x):
        d = torch.cdist(x, self.codes.weight)
        ids = d.argmin(-1)
        self.usage.index_add_(0, ids, torch.ones_like(ids, dtype=torch.float32))
        q = self.codes(ids)
        return x + (q - x).detach(), ids


def make_quantizer():
    return Quantizer(), [((torch.randn(3, 4),), {})]


class Noisy(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(4, 4)

    def forward(self, x):
        if self.training:
            x = x + torch.randn(x.shape).to(x.device) * 0.1
        return self.linear(x)


def make_noisy_training():
    return Noisy().train(), [((torch.randn(3, 4),), {})]


def make_noisy_inference():
    return Noisy().eval(), [((torch.randn(3, 4),), {})]


class Timesteps(nn.Module):
    def __init__(self):
        super().__init__()
        self.mlp = nn.Linear(8, 4)

    def forward(self, x, t):
        freqs = torch.exp(-math.log(10000) * torch.arange(0, 4, dtype=torch.float32) / 4).to(device=t.device)
        args = t[:, None].float() * freqs[None]
        return x + self.mlp(torch.cat([torch.cos(args), torch.sin(args)], dim=-1))


def make_timesteps():
    return Timesteps(), [((torch.randn(3, 4), torch.tensor([1, 2, 3])), {})]


class Experts(nn.Module):
    def __init__(self):
        super().__init__()
        self.gate = nn.Linear(4, 2)
        self.experts = nn.ModuleList(nn.Linear(4, 4) for _ in range(2))

    def forward(self, x):
        weights, ids = self.gate(x).softmax(-1).topk(1)
        out = torch.zeros_like(x)
        for i, expert in enumerate(self.experts):
            chosen = (ids == i).to(x.dtype)
            out = out + expert(x) * chosen * weights
        return out


def make_experts():
    return Experts(), [((torch.randn(3, 4),), {})]


class ExpertsSelected(Experts):
    def forward(self, x):
        weights, ids = self.gate(x).softmax(-1).topk(1)
        out = torch.zeros_like(x)
        for i, expert in enumerate(self.experts):
            rows = (ids == i).nonzero()[:, 0]
            out.index_add_(0, rows, expert(x[rows]))
        return out


def make_experts_selected():
    return ExpertsSelected(), [((torch.randn(3, 4),), {})]


class Pyramid(nn.Module):
    def __init__(self):
        super().__init__()
        self.down = nn.Conv2d(2, 4, 3, stride=2, padding=1)
        self.up = nn.Conv2d(6, 2, 3, padding=1)

    def forward(self, x):
        y = F.relu(self.down(x), inplace=True)
        y = F.interpolate(y, size=x.shape[-2:], mode="nearest")
        return self.up(torch.cat([x, y], 1))


def make_pyramid():
    return Pyramid(), [((torch.randn(1, 2, 8, 8),), {})]


class Anchors(nn.Module):
    def __init__(self):
        super().__init__()
        self.sizes = [8, 16]
        self.head = nn.Conv2d(2, 4, 1)

    def forward(self, x):
        h, w = x.shape[-2:]
        ys, xs = torch.meshgrid(torch.arange(h), torch.arange(w), indexing="ij")
        centers = torch.stack((xs, ys), -1).reshape(-1, 2)
        boxes = torch.cat([torch.cat([centers - s, centers + s], -1) for s in self.sizes])
        return self.head(x), boxes


def make_anchors():
    return Anchors(), [((torch.randn(1, 2, 4, 4),), {})]


class AnchorsThere(Anchors):
    def forward(self, x):
        h, w = x.shape[-2:]
        ys, xs = torch.meshgrid(torch.arange(h, device=x.device), torch.arange(w, device=x.device), indexing="ij")
        centers = torch.stack((xs, ys), -1).reshape(-1, 2)
        boxes = torch.cat([torch.cat([centers - s, centers + s], -1) for s in self.sizes])
        return self.head(x), boxes


def make_anchors_there():
    return AnchorsThere(), [((torch.randn(1, 2, 4, 4),), {})]


class Recurrent(nn.Module):
    def __init__(self):
        super().__init__()
        self.cell = nn.GRUCell(4, 4)

    def forward(self, x):
        h = torch.zeros(x.shape[0], 4)
        h = h.to(x.device)
        for t in range(x.shape[1]):
            h = self.cell(x[:, t], h)
        return h


def make_recurrent():
    return Recurrent(), [((torch.randn(2, 3, 4),), {})]


class Upscaled(nn.Module):
    def __init__(self):
        super().__init__()
        self.mean = torch.Tensor([0.4, 0.4, 0.4]).view(1, 3, 1, 1)
        self.conv = nn.Conv2d(3, 12, 3, padding=1)

    def forward(self, x):
        self.mean = self.mean.type_as(x)
        x = (x - self.mean) * 1.0
        return F.pixel_shuffle(self.conv(x), 2)


def make_upscaled():
    return Upscaled(), [((torch.randn(1, 3, 4, 4),), {})]
