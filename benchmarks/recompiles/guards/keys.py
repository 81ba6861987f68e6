"""DICT_KEYS_MATCH, DICT_CONTAINS, MAPPING_KEYS_CHECK, SET_CONTAINS: keys, their order, members of sets."""

from __future__ import annotations

import collections

import torch
from torch import nn

X = torch.ones(2, 4)


class BySize(nn.Module):
    def __init__(self):
        super().__init__()
        self.masks = {}

    def forward(self, x):
        size = x.shape[-1]
        if size not in self.masks:
            self.masks[size] = torch.ones(size, size).tril()
        return x @ self.masks[size]


def make_cache_by_size():
    return BySize(), (X,)


class Defaulted(nn.Module):
    def __init__(self):
        super().__init__()
        self.tables = {}

    def forward(self, x):
        return x + self.tables.setdefault("positions", torch.arange(4.0))


def make_setdefault():
    return Defaulted(), (X,)


class MovedToEnd(nn.Module):
    def __init__(self):
        super().__init__()
        self.cache = collections.OrderedDict(a=torch.ones(4), b=torch.zeros(4))

    def forward(self, x):
        out = x
        for value in self.cache.values():
            out = out * 2 + value
        self.cache.move_to_end("a")
        return out


def make_order_changed():
    return MovedToEnd(), (X,)


class Seen(nn.Module):
    def __init__(self):
        super().__init__()
        self.seen = set()

    def forward(self, x):
        if "first" not in self.seen:
            self.seen.add("first")
            return x * 0.5
        return x


def make_set_gains_a_member():
    return Seen(), (X,)


class Removed(nn.Module):
    def __init__(self):
        super().__init__()
        self.extras = {"bias": torch.ones(4)}

    def forward(self, x):
        if "bias" in self.extras:
            x = x + self.extras.pop("bias")
        return x * 2


def make_key_popped():
    return Removed(), (X,)


class Updated(nn.Module):
    def __init__(self):
        super().__init__()
        self.state = {}

    def forward(self, x):
        bias = self.state.get("bias")
        self.state.update(bias=x.detach().mean(0))
        return x if bias is None else x + bias


def make_get_then_update():
    return Updated(), (X,)


STATS: dict = {}


def _count(x):
    STATS["calls"] = STATS.get("calls", 0) + 1
    return x * STATS["calls"]


def make_global_dict_counts():
    STATS.clear()
    return _count, (X,)


class Deleted(nn.Module):
    def __init__(self):
        super().__init__()
        self.once = {"init": 1.0, "keep": 2.0}

    def forward(self, x):
        out = x * sum(self.once.values())
        if "init" in self.once:
            del self.once["init"]
        return out


def make_key_deleted():
    return Deleted(), (X,)


class Refilled(nn.Module):
    def __init__(self):
        super().__init__()
        self.cache = {"k": torch.zeros(2, 4)}

    def forward(self, x):
        out = x + self.cache["k"]
        self.cache["k"] = x.detach() * 2
        return out


def make_value_replaced():
    return Refilled(), (X,)


class Fresh(nn.Module):
    def __init__(self):
        super().__init__()
        self.cache = {}

    def forward(self, x):
        self.cache = {"k": x * 2}
        self.cache["v"] = x + 1
        return self.cache["k"] + self.cache["v"]


def make_dict_made_again():
    return Fresh(), (X,)


class Known(nn.Module):
    def __init__(self):
        super().__init__()
        self.masks = {4: torch.ones(4, 4).tril()}

    def forward(self, x):
        size = x.shape[-1]
        if size not in self.masks:
            self.masks[size] = torch.ones(size, size).tril()
        return x @ self.masks[size]


def make_key_there_already():
    return Known(), (X,)


class SameMember(nn.Module):
    def __init__(self):
        super().__init__()
        self.kinds = {"a", "b"}

    def forward(self, x):
        self.kinds.add("a")
        return x * (2 if "a" in self.kinds else 3)


def make_member_there_already():
    return SameMember(), (X,)


class LocalDict(nn.Module):
    def forward(self, x):
        outs = {}
        for i in range(3):
            outs[i] = x * i
        return outs[0] + outs[2]


def make_local_dict():
    return LocalDict(), (X,)


class PutAndTaken(nn.Module):
    def __init__(self):
        super().__init__()
        self.context = {}

    def forward(self, x):
        self.context["mean"] = x.mean()
        out = x - self.context["mean"]
        del self.context["mean"]
        return out


def make_key_put_and_taken():
    return PutAndTaken(), (X,)
