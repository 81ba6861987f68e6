"""TENSOR_MATCH, dtype and device: a kept tensor comes back with another dtype or on another device."""

from __future__ import annotations

import torch
from torch import nn

X = torch.ones(2, 4)


class Widened(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("total", torch.zeros(4))

    def forward(self, x):
        self.total = self.total.double() + x.detach().sum(0)
        return x + self.total.float()


def make_buffer_widened():
    return Widened(), (X,)


class Counted(nn.Module):
    """An integer count becomes a float by division."""

    def __init__(self):
        super().__init__()
        self.count = torch.tensor(2)

    def forward(self, x):
        out = x * self.count
        self.count = self.count / 2
        return out


def make_int_then_float():
    return Counted(), (X,)


class HalfCache(nn.Module):
    def __init__(self):
        super().__init__()
        self.cache = torch.zeros(2, 4)

    def forward(self, x):
        out = x + self.cache
        self.cache = x.detach().half()
        return out


def make_cache_in_half():
    return HalfCache(), (X,)


class MaskLater(nn.Module):
    def __init__(self):
        super().__init__()
        self.mask = torch.ones(2, 4)

    def forward(self, x):
        out = x * self.mask
        self.mask = x > 0
        return out


def make_float_then_mask():
    return MaskLater(), (X,)


class WeightCast(nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = torch.ones(4, dtype=torch.float64)

    def forward(self, x):
        out = x * self.scale.to(x.dtype)
        self.scale = self.scale.to(x.dtype)
        return out


def make_cast_once():
    return WeightCast(), (X,)


class Quantised(nn.Module):
    def __init__(self):
        super().__init__()
        self.codes = torch.zeros(2, 4)

    def forward(self, x):
        out = x + self.codes
        self.codes = (x.detach() * 10).to(torch.int8)
        return out


def make_float_then_codes():
    return Quantised(), (X,)


class Meta(nn.Module):
    """Parked on the meta device after it was used."""

    def __init__(self):
        super().__init__()
        self.table = torch.arange(4.0)

    def forward(self, x):
        if self.table.device.type == "cpu":
            out = x + self.table
            self.table = self.table.to("meta")
            return out
        return x * 2


def make_moved_to_meta():
    return Meta(), (X,)


class SameDtype(nn.Module):
    def __init__(self):
        super().__init__()
        self.cache = torch.zeros(2, 4)

    def forward(self, x):
        out = x + self.cache
        self.cache = x.detach().to(self.cache.dtype) * 0.5
        return out


def make_dtype_kept():
    return SameDtype(), (X,)


class IntCount(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("count", torch.tensor(0))

    def forward(self, x):
        self.count = self.count + 1
        return x * self.count


def make_int_stays_int():
    return IntCount(), (X,)


class CastLocal(nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = torch.ones(4, dtype=torch.float64)

    def forward(self, x):
        scale = self.scale.to(x.dtype)
        return x * scale


def make_cast_local():
    return CastLocal(), (X,)


class WrittenFirst(nn.Module):
    def __init__(self):
        super().__init__()
        self.cache = torch.zeros(2, 4)

    def forward(self, x):
        self.cache = x.detach().half()
        return x + self.cache


def make_half_written_first():
    return WrittenFirst(), (X,)


class InPlace(nn.Module):
    """In place the dtype stays."""

    def __init__(self):
        super().__init__()
        self.register_buffer("count", torch.zeros(4))

    def forward(self, x):
        self.count.add_(x.detach().double().sum(0).float())
        return x + self.count


def make_added_in_place():
    return InPlace(), (X,)


class FloorDivided(nn.Module):
    def __init__(self):
        super().__init__()
        self.count = torch.tensor(64)

    def forward(self, x):
        out = x * self.count
        self.count = self.count // 2
        return out


def make_int_halved():
    return FloorDivided(), (X,)
