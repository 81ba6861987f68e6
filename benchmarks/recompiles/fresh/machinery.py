"""Guards on Python's machinery: iterators, generators, hooks, weak references, special methods, enumerations, arrays."""

from __future__ import annotations

import enum
import itertools
import weakref

import numpy as np
import torch
from torch import nn

X = torch.ones(2, 4)


class Phase(enum.IntEnum):
    WARM = 0
    HOT = 1


class Phased(nn.Module):
    def __init__(self):
        super().__init__()
        self.phase = Phase.WARM

    def forward(self, x):
        out = x * 2 if self.phase is Phase.WARM else x * 3
        self.phase = Phase.HOT
        return out


def make_phase_advances():
    return Phased(), (X,)


class Called:
    def __init__(self):
        self.calls = 0

    def __call__(self, x):
        self.calls += 1
        return x * self.calls


class WithCallable(nn.Module):
    def __init__(self):
        super().__init__()
        self.act = Called()

    def forward(self, x):
        return self.act(x) + 1


def make_callable_object_counts():
    return WithCallable(), (X,)


class Item:
    def __init__(self):
        self.data = {}

    def __setitem__(self, key, value):
        self.data[key] = value

    def __getitem__(self, key):
        return self.data[key]

    def __len__(self):
        return len(self.data)


class WithItems(nn.Module):
    def __init__(self):
        super().__init__()
        self.store = Item()

    def forward(self, x):
        out = x * (len(self.store) + 1)
        self.store["last"] = x.detach() * 1
        return out


def make_own_container_fills():
    return WithItems(), (X,)


class Zipped(nn.Module):
    def __init__(self):
        super().__init__()
        self.steps = zip(range(100), range(100, 200))

    def forward(self, x):
        a, b = next(self.steps)
        return x * a + b


def make_zip_advances():
    return Zipped(), (X,)


class Repeated(nn.Module):
    def __init__(self):
        super().__init__()
        self.steps = itertools.repeat(2, 100)

    def forward(self, x):
        return x * next(self.steps)


def make_repeat_of_one_value():
    return Repeated(), (X,)


class Hooked(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(4, 4)
        self.seen = []
        self.lin.register_forward_hook(self._keep)

    def _keep(self, module, args, output):
        self.seen.append(output.detach())

    def forward(self, x):
        return self.lin(x) + len(self.seen)


def make_hook_appends():
    return Hooked(), (X,)


class Bounds(nn.Module):
    def __init__(self):
        super().__init__()
        self.limit = slice(0, 1)

    def forward(self, x):
        out = x[self.limit] * 2
        self.limit = slice(0, 2)
        return out


def make_slice_replaced():
    return Bounds(), (X,)


class Range(nn.Module):
    def __init__(self):
        super().__init__()
        self.steps = range(2)

    def forward(self, x):
        for i in self.steps:
            x = x + i
        self.steps = range(3)
        return x


def make_range_replaced():
    return Range(), (X,)


class Array(nn.Module):
    def __init__(self):
        super().__init__()
        self.table = np.ones(4, dtype=np.float32)

    def forward(self, x):
        out = x + torch.from_numpy(self.table)
        self.table = np.ones((2, 4), dtype=np.float32)
        return out


def make_array_of_another_shape():
    return Array(), (X,)


class Referred(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = nn.Linear(4, 4)
        self.calls = [0]

    def bump(self):
        self.calls[0] += 1
        return self.calls[0]

    def forward(self, x):
        return self.inner(x) * self.bump()


def make_list_item_counts_in_a_method():
    return Referred(), (X,)


# ------------------------------------------------------------------ near misses


class PhasedSame(nn.Module):
    def __init__(self):
        super().__init__()
        self.phase = Phase.HOT

    def forward(self, x):
        out = x * 2 if self.phase is Phase.WARM else x * 3
        self.phase = Phase.HOT
        return out


def make_phase_stays():
    return PhasedSame(), (X,)


class Again:
    def __init__(self):
        self.calls = 0

    def __call__(self, x):
        self.calls += 1
        return x * self.calls


class CalledLocal(nn.Module):
    def forward(self, x):
        act = Again()
        return act(x) + act(x)


def make_local_callable_counts():
    return CalledLocal(), (X,)


class Shelf:
    def __init__(self):
        self.data = {}

    def __setitem__(self, key, value):
        self.data[key] = value

    def __getitem__(self, key):
        return self.data[key]

    def __len__(self):
        return len(self.data)


class ItemsLocal(nn.Module):
    def forward(self, x):
        store = Shelf()
        store["a"] = x * 2
        return store["a"] * len(store)


def make_own_container_made_here():
    return ItemsLocal(), (X,)


class LocalSteps(nn.Module):
    def forward(self, x):
        steps = zip(range(3), range(3, 6))
        for a, b in steps:
            x = x * a + b
        return x


def make_zip_made_here():
    return LocalSteps(), (X,)


class HookScales(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(4, 4)
        self.lin.register_forward_hook(lambda module, args, output: output * 2)

    def forward(self, x):
        return self.lin(x)


def make_hook_scales():
    return HookScales(), (X,)


class BoundsSame(nn.Module):
    def __init__(self):
        super().__init__()
        self.limit = slice(0, 1)

    def forward(self, x):
        out = x[self.limit] * 2
        self.limit = slice(0, 1)
        return out


def make_slice_of_the_same_bounds():
    return BoundsSame(), (X,)


class ArraySame(nn.Module):
    def __init__(self):
        super().__init__()
        self.table = np.ones(4, dtype=np.float32)

    def forward(self, x):
        out = x + torch.from_numpy(self.table)
        self.table = np.zeros(4, dtype=np.float32)
        return out


def make_array_of_the_same_shape():
    return ArraySame(), (X,)


class OwnSum:
    def __init__(self):
        self.total = torch.zeros(2, 4)

    def __iadd__(self, other):
        self.total = self.total + other
        return self


class WithSum(nn.Module):
    def __init__(self):
        super().__init__()
        self.sum = OwnSum()

    def forward(self, x):
        self.sum += x.detach()
        return x + self.sum.total


def make_own_sum_of_tensors():
    return WithSum(), (X,)


class Weak(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = nn.Linear(4, 4)
        self.parent = [weakref.ref(self.inner)]

    def forward(self, x):
        return self.parent[0]()(x)


def make_weak_reference_read():
    return Weak(), (X,)
