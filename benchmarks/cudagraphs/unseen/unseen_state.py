"""Modules and functions that keep state: buffers, plain attributes, banks, streams and memoised tables."""

import functools
from collections import deque
from dataclasses import dataclass

import torch
import torch.nn as nn
import torch.nn.functional as F


class Whitener(nn.Module):
    def __init__(self, dim=16, momentum=0.05):
        super().__init__()
        self.momentum = momentum
        self.register_buffer("mean", torch.zeros(dim))
        self.register_buffer("var", torch.ones(dim))

    def forward(self, x):
        if self.training:
            self.mean.lerp_(x.mean(0), self.momentum)
            self.var.mul_(1 - self.momentum).add_(x.var(0), alpha=self.momentum)
        return (x - self.mean) * torch.rsqrt(self.var + 1e-5)


def make_whitener_train():
    return Whitener(), [((torch.randn(8, 16),), {}), ((torch.randn(8, 16),), {})]


class ReturnNormalizer(nn.Module):
    def __init__(self, decay=0.99):
        super().__init__()
        self.decay = decay
        self.low = torch.zeros(())
        self.high = torch.ones(())

    def forward(self, returns):
        self.low = self.decay * self.low + (1 - self.decay) * returns.min()
        self.high = self.decay * self.high + (1 - self.decay) * returns.max()
        return (returns - self.low) / (self.high - self.low).clamp(min=1.0)


def make_return_normalizer():
    return ReturnNormalizer(), [((torch.randn(32),), {}), ((torch.randn(32),), {})]


class MocoQueue(nn.Module):
    def __init__(self, dim=8, size=32):
        super().__init__()
        self.register_buffer("queue", F.normalize(torch.randn(dim, size), dim=0))
        self.register_buffer("queue_ptr", torch.zeros(1, dtype=torch.long))

    def forward(self, q, k):
        logits = q @ self.queue.clone()
        ptr = int(self.queue_ptr)
        self.queue[:, ptr : ptr + k.shape[0]] = k.T
        self.queue_ptr[0] = (ptr + k.shape[0]) % self.queue.shape[1]
        return logits


def make_moco_int_pointer():
    a, b = torch.randn(4, 8), torch.randn(4, 8)
    return MocoQueue(), [((a, b), {}), ((b, a), {})]


class TensorPointerBank(nn.Module):
    def __init__(self, dim=8, size=32):
        super().__init__()
        self.size = size
        self.register_buffer("bank", torch.zeros(size, dim))
        self.register_buffer("head", torch.zeros((), dtype=torch.long))

    def push(self, feats):
        slots = (self.head + torch.arange(feats.shape[0], device=feats.device)) % self.size
        self.bank.index_copy_(0, slots, feats)
        self.head.copy_((self.head + feats.shape[0]) % self.size)

    def forward(self, q, k):
        sims = q @ self.bank.T
        self.push(k)
        return sims


def make_bank_tensor_pointer():
    a, b = torch.randn(4, 8), torch.randn(4, 8)
    return TensorPointerBank(), [((a, b), {}), ((b, a), {})]


class SinusoidalPositions(nn.Module):
    def __init__(self, dim=16):
        super().__init__()
        self.dim = dim
        self.memo = {}

    def table(self, length, device):
        if length not in self.memo:
            pos = torch.arange(length, device=device, dtype=torch.float32)[:, None]
            freq = 10000 ** (-torch.arange(0, self.dim, 2, device=device) / self.dim)
            self.memo[length] = torch.cat([(pos * freq).sin(), (pos * freq).cos()], dim=1)
        return self.memo[length]

    def forward(self, x):
        return x + self.table(x.shape[1], x.device)


def make_positions_memo_dict():
    return SinusoidalPositions(), [((torch.randn(2, 10, 16),), {}), ((torch.randn(2, 10, 16),), {})]


@functools.lru_cache(maxsize=None)
def hann(n):
    return torch.hann_window(n)


def windowed_energy(frames):
    w = hann(frames.shape[-1]).to(frames.device)
    return (frames * w).square().mean(-1).clamp_min(1e-8).log()


def make_lru_window():
    return windowed_energy, [((torch.randn(4, 10, 32),), {})]


CIE_MATRIX = torch.tensor([[0.412, 0.358, 0.180], [0.213, 0.715, 0.072], [0.019, 0.119, 0.950]])


def rgb_to_xyz(img):
    linear = torch.where(img > 0.04045, ((img + 0.055) / 1.055) ** 2.4, img / 12.92)
    return torch.einsum("ij,bjhw->bihw", CIE_MATRIX.to(img.device), linear)


def make_global_colour_matrix():
    return rgb_to_xyz, [((torch.rand(2, 3, 8, 8),), {})]


LUMA = {"r": 0.299, "g": 0.587, "b": 0.114}


def to_luma(img):
    planes = dict(zip("rgb", img.unbind(1)))
    return sum(LUMA[c] * planes[c] for c in LUMA)


def make_global_luma_floats():
    return to_luma, [((torch.rand(2, 3, 8, 8),), {})]


def make_heads_as_views():
    def split_heads(x, heads=4):
        b, t, d = x.shape
        y = x.view(b, t, heads, d // heads).transpose(1, 2)
        return y, y[..., : d // heads // 2], x

    return split_heads, [((torch.randn(2, 6, 32),), {}), ((torch.randn(2, 6, 32),), {})]


class CodebookTable(nn.Module):
    def __init__(self):
        super().__init__()
        self.codes = nn.Parameter(torch.randn(16, 8))
        self.register_buffer("usage", torch.zeros(16))

    def forward(self, ids):
        picked = self.codes[ids]
        return {"z": picked, "codes": self.codes, "usage": self.usage}


def make_returns_own_buffer():
    return CodebookTable(), [((torch.randint(16, (3, 5)),), {}), ((torch.randint(16, (3, 5)),), {})]


class StreamingConv(nn.Conv1d):
    def __init__(self, channels, kernel):
        super().__init__(channels, channels, kernel)
        self.register_buffer("context", torch.zeros(1, channels, kernel - 1))

    def forward(self, x):
        padded = torch.cat([self.context, x], dim=-1)
        self.context.copy_(padded[..., -self.context.shape[-1] :])
        return super().forward(padded)


def make_streaming_conv_buffer():
    return StreamingConv(4, 3), [((torch.randn(1, 4, 8),), {}), ((torch.randn(1, 4, 8),), {})]


class OnlineConv(nn.Module):
    def __init__(self, channels=4, kernel=3):
        super().__init__()
        self.conv = nn.Conv1d(channels, channels, kernel, groups=channels)
        self.tail = None
        self.keep = kernel - 1

    def forward(self, x):
        left = x.new_zeros(x.shape[0], x.shape[1], self.keep) if self.tail is None else self.tail
        x = torch.cat([left, x], dim=2)
        self.tail = x[:, :, -self.keep :]
        return self.conv(x)


def make_online_conv_tail():
    m = OnlineConv()
    return m, [((torch.randn(1, 4, 8),), {}), ((torch.randn(1, 4, 8),), {})]


class EmaCodebook(nn.Module):
    def __init__(self, n=16, d=8, decay=0.9):
        super().__init__()
        self.decay = decay
        self.register_buffer("embed", torch.randn(n, d))
        self.register_buffer("count", torch.ones(n))
        self.register_buffer("total", self.embed.clone())

    def forward(self, x):
        ids = torch.cdist(x, self.embed).argmin(-1)
        onehot = F.one_hot(ids, self.embed.shape[0]).type_as(x)
        self.count.mul_(self.decay).add_(onehot.sum(0), alpha=1 - self.decay)
        self.total.mul_(self.decay).add_(onehot.T @ x, alpha=1 - self.decay)
        self.embed.copy_(self.total / self.count.clamp(min=1e-3)[:, None])
        return self.embed[ids], ids


def make_ema_codebook():
    return EmaCodebook(), [((torch.randn(20, 8),), {}), ((torch.randn(20, 8),), {})]


class FrameStacker:
    def __init__(self, n=3):
        self.frames = deque(maxlen=n)
        self.n = n

    def observe(self, frame):
        gray = frame.mean(0, keepdim=True)
        self.frames.append(gray)
        while len(self.frames) < self.n:
            self.frames.append(gray)
        return torch.cat(list(self.frames))


def make_frame_stacker():
    return FrameStacker().observe, [((torch.rand(3, 8, 8),), {}), ((torch.rand(3, 8, 8),), {})]


class WarmupGate(nn.Module):
    def __init__(self, warmup=100):
        super().__init__()
        self.warmup, self.calls = warmup, 0
        self.proj = nn.Linear(8, 8)

    def forward(self, x):
        self.calls += 1
        return x + min(1.0, self.calls / self.warmup) * self.proj(x)


def make_warmup_python_counter():
    return WarmupGate(), [((torch.randn(4, 8),), {}), ((torch.randn(4, 8),), {})]


@dataclass
class GateConfig:
    width: int = 8
    warmup: float = 100.0


class BufferedGate(nn.Module):
    def __init__(self, cfg=GateConfig()):
        super().__init__()
        self.cfg = cfg
        self.register_buffer("calls", torch.zeros(()))
        self.proj = nn.Linear(cfg.width, cfg.width)

    def forward(self, x):
        self.calls += 1
        return torch.addcmul(x, (self.calls / self.cfg.warmup).clamp(max=1.0), self.proj(x))


def make_warmup_buffer_counter():
    return BufferedGate(), [((torch.randn(4, 8),), {}), ((torch.randn(4, 8),), {})]


class ScratchPad(nn.Module):
    def __init__(self, rows=8, cols=16):
        super().__init__()
        self.pad = torch.zeros(rows, cols, device="cuda")
        self.lin = nn.Linear(cols, cols)

    def forward(self, x):
        self.pad.mul_(0.5).add_(self.lin(x))
        return self.pad.tanh()


def make_scratch_attribute_update():
    return ScratchPad(), [((torch.randn(8, 16),), {}), ((torch.randn(8, 16),), {})]


class FixedDictionary(nn.Module):
    def __init__(self, atoms=12, dim=16):
        super().__init__()
        self.atoms = F.normalize(torch.randn(atoms, dim, device="cuda"), dim=1)
        self.shrink = nn.Softshrink(0.1)

    def forward(self, x):
        code = self.shrink(x @ self.atoms.T)
        return code @ self.atoms, code


def make_dictionary_attribute_read():
    return FixedDictionary(), [((torch.randn(8, 16),), {})]
