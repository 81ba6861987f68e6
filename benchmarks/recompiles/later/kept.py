"""What modules and functions keep from one call to the next."""

from __future__ import annotations

import itertools
from collections import deque
from functools import cached_property

import torch
import torch.nn.functional as F
from torch import nn


class Cache:
    def __init__(self):
        self.keys = []

    def update(self, key, layer):
        if len(self.keys) <= layer:
            self.keys.append(key)
        else:
            self.keys[layer] = torch.cat([self.keys[layer], key], dim=1)
        return self.keys[layer]


class Decoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.proj = nn.Linear(4, 4)
        self.cache = Cache()

    def forward(self, x):
        keys = self.cache.update(self.proj(x), 0)
        return x @ keys.transpose(1, 2)


def make_cache_of_keys():
    return Decoder(), (torch.ones(1, 2, 4),)


class LateScale(nn.Module):
    def forward(self, x):
        if not hasattr(self, "scale"):
            self.register_buffer("scale", x.detach().abs().amax(), persistent=False)
        return x / self.scale


def make_scale_registered_late():
    return LateScale(), (torch.ones(3),)


class Rising(nn.Module):
    def __init__(self):
        super().__init__()
        self.p = 0.0

    def forward(self, x):
        self.p = min(self.p + 0.05, 0.5)
        return F.dropout(x, self.p, self.training)


def make_dropout_that_rises():
    return Rising(), (torch.ones(3),)


class Neuron(nn.Module):
    def __init__(self, tau=2.0):
        super().__init__()
        self.tau = tau
        self.v = 0.0

    def forward(self, x):
        self.v = self.v + (x - self.v) / self.tau
        spike = (self.v >= 1.0).to(x)
        self.v = self.v * (1 - spike)
        return spike


def make_potential_that_starts_as_a_number():
    return Neuron(), (torch.ones(3),)


class Running(nn.Module):
    def __init__(self):
        super().__init__()
        self.mean = None

    def forward(self, x):
        batch = x.detach().mean(0)
        self.mean = batch if self.mean is None else 0.9 * self.mean + 0.1 * batch
        return x - self.mean


def make_mean_that_starts_as_none():
    return Running(), (torch.ones(3, 4),)


_CALLS = 0


def counted(x):
    global _CALLS
    _CALLS += 1
    return x * 2 if _CALLS % 3 == 0 else x


def make_global_that_counts():
    return counted, (torch.ones(3),)


class Shared(nn.Module):
    calls = 0

    def forward(self, x):
        Shared.calls += 1
        return x * Shared.calls


def make_counter_of_the_class():
    return Shared(), (torch.ones(3),)


class Numbered(nn.Module):
    def __init__(self):
        super().__init__()
        self.numbers = itertools.count()

    def forward(self, x):
        return x + next(self.numbers)


def make_numbers_of_an_iterator():
    return Numbered(), (torch.ones(3),)


class History(nn.Module):
    def __init__(self):
        super().__init__()
        self.past = deque(maxlen=3)

    def forward(self, x):
        self.past.append(x.detach())
        return torch.stack(list(self.past)).mean(0)


def make_history_of_three():
    return History(), (torch.ones(3),)


_SEEN = set()


def noted(x, kind="plain"):
    if kind not in _SEEN:
        _SEEN.add(kind)
    return x + 1


def make_kinds_seen_before():
    return noted, (torch.ones(3),)


class Table(nn.Module):
    def __init__(self):
        super().__init__()
        self._table = None

    @property
    def table(self):
        if self._table is None:
            self._table = torch.arange(8.0).sin()
        return self._table

    def forward(self, x):
        return x + self.table[: x.shape[0]]


def make_table_behind_a_property():
    return Table(), (torch.ones(3),)


class CachedTable(nn.Module):
    @cached_property
    def table(self):
        return torch.arange(3.0).sin()

    def forward(self, x):
        return x + self.table


def make_table_of_a_cached_property():
    return CachedTable(), (torch.ones(3),)


class Fetched(nn.Module):
    def forward(self, x):
        mask = getattr(self, "_mask", None)
        if mask is None or mask.shape[-1] < x.shape[-1]:
            mask = torch.ones(x.shape[-1], x.shape[-1]).tril()
            self._mask = mask
        return x @ mask


def make_mask_by_getattr():
    return Fetched(), (torch.ones(3, 3),)


class OwnDict(nn.Module):
    def forward(self, x):
        table = self.__dict__.setdefault("_pos", torch.arange(3.0))
        return x + table


def make_setdefault_of_the_namespace():
    return OwnDict(), (torch.ones(3),)


def tallied(x):
    tallied.calls = getattr(tallied, "calls", 0) + 1
    return x * tallied.calls


def make_attribute_of_a_function():
    return tallied, (torch.ones(3),)


def make_step_of_a_closure():
    step = 0

    def run(x):
        nonlocal step
        step += 1
        return x / step

    return run, (torch.ones(3),)


class Bank(nn.Module):
    def __init__(self, size=4):
        super().__init__()
        self.size, self.ptr = size, 0
        self.register_buffer("bank", torch.zeros(size, 3))

    def forward(self, x):
        self.bank[self.ptr] = x.detach()
        self.ptr = (self.ptr + 1) % self.size
        return x @ self.bank.T


def make_pointer_of_a_bank():
    return Bank(), (torch.ones(3),)


class TensorBank(nn.Module):
    def __init__(self, size=4):
        super().__init__()
        self.size = size
        self.register_buffer("ptr", torch.zeros(1, dtype=torch.long))
        self.register_buffer("bank", torch.zeros(size, 3))

    def forward(self, x):
        self.bank.index_copy_(0, self.ptr, x.detach()[None])
        self.ptr.add_(1).remainder_(self.size)
        return x @ self.bank.T


def make_pointer_as_a_buffer():
    return TensorBank(), (torch.ones(3),)


class Averaged(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("mean", torch.zeros(4))

    def forward(self, x):
        self.mean = self.mean.lerp(x.detach().mean(0), 0.1)
        return x - self.mean


def make_buffer_that_is_replaced():
    return Averaged(), (torch.ones(3, 4),)


class Built(nn.Module):
    def __init__(self, length=8):
        super().__init__()
        self.table = None
        self._build(length)

    def _build(self, length):
        self.table = torch.arange(float(length))

    def forward(self, x):
        if self.table is None or self.table.shape[0] < x.shape[0]:
            self._build(x.shape[0])
        return x + self.table[: x.shape[0]]


def make_table_built_before():
    return Built(), (torch.ones(3),)


class Losses(nn.Module):
    def __init__(self):
        super().__init__()
        self.losses = []

    def forward(self, x):
        self.losses.clear()
        for k in (1, 2):
            self.losses.append((x * k).sum())
        return sum(self.losses)


def make_losses_that_are_cleared():
    return Losses(), (torch.ones(3),)


class Reset(nn.Module):
    def forward(self, x):
        self.total = 0
        self.total = self.total + x.sum()
        return self.total * 2


def make_total_that_is_reset():
    return Reset(), (torch.ones(3),)


class LastShape(nn.Module):
    def __init__(self):
        super().__init__()
        self.last, self.mask = None, None

    def forward(self, x):
        if self.last != x.shape:
            self.last = x.shape
            self.mask = torch.ones_like(x).tril()
        return x * self.mask


def make_mask_of_the_last_shape():
    return LastShape(), (torch.ones(3, 3),)


class TryTable(nn.Module):
    def forward(self, x):
        try:
            table = self._table
        except AttributeError:
            table = self._table = torch.arange(3.0)
        return x + table


def make_table_behind_an_error():
    return TryTable(), (torch.ones(3),)


class Options(nn.Module):
    def forward(self, x, **kwargs):
        if len(kwargs) > 0:
            x = x * kwargs.get("scale", 1.0)
        return x + len(kwargs)


def make_number_of_options():
    return Options(), (torch.ones(3),)


class Growing(nn.Module):
    def __init__(self):
        super().__init__()
        self.options = {"scale": 2.0}

    def inner(self, x, **kwargs):
        return x * kwargs["scale"] + len(kwargs)

    def forward(self, x):
        out = self.inner(x, **self.options)
        self.options["last"] = 1.0
        return out


def make_options_that_grow():
    return Growing(), (torch.ones(3),)
