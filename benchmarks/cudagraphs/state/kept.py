"""State that a compiled call converts, moves, adds to or fills, as repositories write it; recorded on an H200."""

from __future__ import annotations

import torch
from torch import nn

CACHE: dict[str, torch.Tensor] = {}


def _twice(module):
    return module, [((torch.randn(4, 8),), {})] * 2


class Table(nn.Module):
    """A table in a plain attribute, which stays on the host when the module moves."""

    def __init__(self, guarded):
        super().__init__()
        self.layer = nn.Linear(8, 8)
        self.freqs = torch.randn(8)
        self.guarded = guarded

    def forward(self, x):
        if not self.guarded or self.freqs.device != x.device:
            self.freqs = self.freqs.to(x.device)
        return self.layer(x) * self.freqs


def make_guarded_move():
    return _twice(Table(True))


def make_plain_move():
    return _twice(Table(False))


class Cache(nn.Module):
    def __init__(self, dtype):
        super().__init__()
        self.layer = nn.Linear(8, 8)
        self.register_buffer("kept", torch.zeros(4, 8, dtype=dtype), persistent=False)

    def forward(self, x):
        keys = self.layer(x)
        self.kept = self.kept.to(keys)
        self.kept[:2] = keys[:2]
        return self.kept.sum(0) + keys


def make_cache_same():
    return _twice(Cache(torch.float32))


def make_cache_dtype():
    return _twice(Cache(torch.float64))


class ToFloat(nn.Module):
    def __init__(self, dtype):
        super().__init__()
        self.layer = nn.Linear(8, 8)
        self.register_buffer("freqs", torch.zeros(8, dtype=dtype))

    def forward(self, x):
        self.freqs = self.freqs.to(torch.float)
        return self.layer(x) * self.freqs


def make_float_same():
    return _twice(ToFloat(torch.float32))


def make_float_half():
    return _twice(ToFloat(torch.float16))


class LazyHost(nn.Module):
    """A constant that the first call makes on the host: Inductor makes it on the device."""

    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(8, 8)
        self.freqs = None

    def forward(self, x):
        if self.freqs is None:
            self.freqs = torch.arange(8).float() * 2
        if self.freqs.device != x.device:
            self.freqs = self.freqs.to(x.device)
        return self.layer(x) * self.freqs


def make_lazy_host():
    return _twice(LazyHost())


class LazyDevice(LazyHost):
    def forward(self, x):
        if self.freqs is None:
            self.freqs = torch.arange(8, device=x.device).float() * 2
        return self.layer(x) * self.freqs


def make_lazy_device():
    return _twice(LazyDevice())


class GlobalWindow(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(8, 8)
        CACHE.clear()

    def forward(self, x):
        if "k" not in CACHE:
            CACHE["k"] = torch.hann_window(8).to(x.device)
        return self.layer(x) * CACHE["k"]


def make_global_hann():
    return _twice(GlobalWindow())


class CountedBuffer(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(8, 8)
        self.register_buffer("seen", torch.zeros(8, dtype=torch.long))

    def forward(self, x):
        self.seen += torch.ones(8, dtype=torch.long, device=x.device)
        return self.layer(x) + self.seen


def make_iadd():
    return _twice(CountedBuffer())


class CountedLater(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(8, 8)
        self.seen = None

    def forward(self, x):
        if self.seen is None:
            self.seen = torch.zeros(8, device=x.device)
        self.seen += x.sum(0)
        return self.layer(x) + self.seen


def make_iadd_plain():
    return _twice(CountedLater())


class Running(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(8, 8)
        self.register_buffer("mean", torch.zeros(8))

    def forward(self, x):
        self.mean = self.mean * 0.9 + x.detach().mean(0) * 0.1
        return self.layer(x) - self.mean


def make_running():
    return _twice(Running())


class MarkedItems(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(8, 8)

    def forward(self, x, ids):
        kinds = torch.zeros(ids.shape, dtype=torch.int32, device=ids.device)
        kinds[ids == 3] = 1
        return self.layer(x) + kinds.sum()


def make_mask_store():
    return MarkedItems(), [((torch.randn(4, 8), torch.arange(6)), {})] * 2


class MaskOfAnyKind(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(8, 8)

    def forward(self, x, mask):
        if mask.dtype in (torch.bool, torch.int8):
            mask = mask.to(torch.float)
            mask.masked_fill_(mask == 0, -1.0)
        return self.layer(x) + mask


def make_dtype_guard():
    return MaskOfAnyKind(), [((torch.randn(4, 8), torch.ones(8, dtype=torch.bool)), {})] * 2


class StreamedLayer(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(8, 8)

    def forward(self, x, feat_cache):
        y = self.layer(x)
        if feat_cache[0] is not None:
            y = y + feat_cache[0]
        feat_cache[0] = y.clone()
        return y


def make_feat_cache():
    cache = [None]
    return StreamedLayer(), [((torch.randn(4, 8), cache), {})] * 2
