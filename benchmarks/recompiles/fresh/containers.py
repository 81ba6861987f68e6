"""LENGTH_CHECK, DICT_CONTAINS, DICT_KEYS, SET_CONTAINS, TUPLE_ITERATOR_LEN: containers that change by less usual means."""

from __future__ import annotations

from collections import Counter, OrderedDict, defaultdict, deque

import torch
from torch import nn

X = torch.ones(2, 4)


class Banks(nn.Module):
    def __init__(self):
        super().__init__()
        self.banks = defaultdict(list)

    def forward(self, x):
        self.banks["x"].append(x.detach() * 1)
        return torch.stack(self.banks["x"]).sum(0)


def make_defaultdict_of_lists():
    return Banks(), (X,)


class Recency(nn.Module):
    def __init__(self):
        super().__init__()
        self.order = OrderedDict(a=1.0, b=2.0)

    def forward(self, x):
        for factor in self.order.values():
            x = x * factor
        self.order.move_to_end("a")
        return x


def make_order_by_recency():
    return Recency(), (X,)


class Counted(nn.Module):
    def __init__(self):
        super().__init__()
        self.counts = Counter()

    def forward(self, x):
        self.counts["calls"] += 1
        return x * self.counts["calls"]


def make_counter_object():
    return Counted(), (X,)


class Visited(nn.Module):
    def __init__(self):
        super().__init__()
        self.sizes = set()

    def forward(self, x):
        if x.shape[-1] not in self.sizes:
            x = x + 1
        self.sizes |= {x.shape[-1]}
        return x * 2


def make_set_united():
    return Visited(), (X,)


class Extended(nn.Module):
    def __init__(self):
        super().__init__()
        self.outputs = []

    def forward(self, x):
        a, b = x.sin(), x.cos()
        self.outputs.extend([a, b])
        return sum(self.outputs)


def make_list_extended():
    return Extended(), (X,)


class Joined(nn.Module):
    def __init__(self):
        super().__init__()
        self.seen = ()

    def forward(self, x):
        self.seen = (*self.seen, x.detach() + 1)
        return x + len(self.seen)


def make_tuple_unpacked_and_longer():
    return Joined(), (X,)


class Sliced(nn.Module):
    def __init__(self):
        super().__init__()
        self.window = []

    def forward(self, x):
        self.window = (self.window + [x.detach() * 1])[-3:]
        return torch.stack(self.window).mean(0)


def make_window_fills():
    return Sliced(), (X,)


class Nested(nn.Module):
    def __init__(self):
        super().__init__()
        self.cache = {"keys": [], "values": []}

    def forward(self, x):
        self.cache["keys"].append(x.detach() * 2)
        return torch.cat(self.cache["keys"]).mean() + x


def make_list_in_a_dict_grows():
    return Nested(), (X,)


class Schedule(nn.Module):
    def __init__(self):
        super().__init__()
        self.todo = deque([1.0, 2.0, 3.0])

    def forward(self, x):
        x = x * self.todo[0]
        self.todo.rotate(-1)
        return x


def make_deque_rotated():
    return Schedule(), (X,)


class Updated(nn.Module):
    def __init__(self):
        super().__init__()
        self.options = {"scale": 1}

    def forward(self, x):
        x = x * self.options["scale"]
        self.options.update(scale=3, bias=1)
        return x


def make_dict_updated():
    return Updated(), (X,)


# ------------------------------------------------------------------ near misses


class BanksLocal(nn.Module):
    def forward(self, x):
        banks = defaultdict(list)
        for part in x.unbind(0):
            banks["x"].append(part * 2)
        return torch.stack(banks["x"]).sum(0)


def make_local_defaultdict():
    return BanksLocal(), (X,)


class RotateFull(nn.Module):
    def __init__(self):
        super().__init__()
        self.window = deque([torch.zeros(2, 4), torch.zeros(2, 4)], maxlen=2)

    def forward(self, x):
        self.window.append(x.detach() * 2)
        return sum(self.window)


def make_full_window():
    return RotateFull(), (X,)


class Overwritten(nn.Module):
    def __init__(self):
        super().__init__()
        self.last = {"in": torch.zeros(2, 4), "out": torch.zeros(2, 4)}

    def forward(self, x):
        out = x + self.last["out"]
        self.last["in"], self.last["out"] = x * 1, x * 2
        return out


def make_tensors_of_a_dict_overwritten():
    return Overwritten(), (X,)


class Cleared(nn.Module):
    def __init__(self):
        super().__init__()
        self.parts = []

    def forward(self, x):
        self.parts.clear()
        self.parts.extend([x.sin(), x.cos()])
        total = sum(self.parts)
        self.parts.clear()
        return total


def make_scratch_list_cleared_at_both_ends():
    return Cleared(), (X,)


class Discarded(nn.Module):
    def __init__(self):
        super().__init__()
        self.active = {"a"}

    def forward(self, x):
        self.active.add("a")
        self.active.discard("b")
        return x * len(self.active)


def make_set_unchanged():
    return Discarded(), (X,)


class SwapItems(nn.Module):
    def __init__(self):
        super().__init__()
        self.buffers_ = [torch.zeros(2, 4), torch.ones(2, 4)]

    def forward(self, x):
        first, second = self.buffers_
        self.buffers_[0], self.buffers_[1] = second + x, first + x
        return first * second


def make_items_swapped():
    return SwapItems(), (X,)


class Copied(nn.Module):
    def __init__(self):
        super().__init__()
        self.scales = [1.0, 2.0]

    def forward(self, x):
        scales = list(self.scales)
        scales.append(3.0)
        for scale in scales:
            x = x * scale
        return x


def make_copy_grows():
    return Copied(), (X,)


class DictCopied(nn.Module):
    def __init__(self):
        super().__init__()
        self.options = {"scale": 1}

    def forward(self, x):
        options = dict(self.options)
        options["bias"] = x.mean()
        return x * options["scale"] + options["bias"]


def make_dict_copy_gains_a_key():
    return DictCopied(), (X,)
