"""Tensors that share memory until one of them is written (`_lazy_clone`), and `switch`."""

import contextlib

import torch
from torch import nn
from torch._higher_order_ops.map import map as map_rows
from torch._higher_order_ops.scan import scan
from torch._higher_order_ops.switch import switch
from torch.utils.checkpoint import checkpoint

SINCE = "2.15"


def x3():
    return torch.randn(3)


def lazy(x):
    y = x * 2
    return y + 1 if torch._C._is_cow_tensor(y) else y


def make_asks_activation():
    return lazy, [((x3(),), {})]


class Shares(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(3, 3)

    def shared(self, value):
        return torch._C._is_cow_tensor(value)

    def forward(self, x):
        h = self.body(x)
        return h.clone() if self.shared(h) else h


def make_asks_layer():
    return Shares(), [((x3(),), {})]


def lazy_input(x):
    return x + 1 if torch._C._is_cow_tensor(x) else x * 2


def make_asks_input():
    return lazy_input, [((x3(),), {})]


def after_write(x):
    x.add_(1)
    return x + 1 if torch._C._is_cow_tensor(x) else x * 2


def make_asks_after_write():
    return after_write, [((x3(),), {})]


class Buffered(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("state", torch.zeros(3))

    def owned(self):
        return not torch._C._is_cow_tensor(self.state)

    def forward(self, x):
        self.state.copy_(x)
        return self.state * 2 if self.owned() else x


def make_asks_written_buffer():
    return Buffered(), [((x3(),), {})]


def after_share(x):
    y = x._lazy_clone()
    return y + 1 if torch._C._is_cow_tensor(x) else y


def make_asks_after_share():
    return after_share, [((x3(),), {})]


class Forks(nn.Module):
    def fork(self, x):
        return x._lazy_clone()

    def forward(self, x):
        y = self.fork(x)
        if torch._C._is_cow_tensor(x):
            y = y * 2
        return y + x


def make_asks_fork():
    return Forks(), [((x3(),), {})]


def routed(x, index):
    return switch(index, (lambda v: v + 1, lambda v: v - 1, lambda v: v * 2), (x,))


def make_routed():
    return routed, [((x3(), torch.tensor(1)), {})]


def routed_unevenly(x, index):
    return switch(index, (lambda v: {"up": v + 1}, lambda v: {"down": v - 1}), (x,))


def make_routed_unevenly():
    return routed_unevenly, [((x3(), torch.tensor(1)), {})]


class Experts(nn.Module):
    def __init__(self):
        super().__init__()
        self.small = nn.Linear(3, 3)
        self.large = nn.Linear(3, 3)

    def first(self, x):
        return {"out": self.small(x)}

    def second(self, x):
        return {"out": self.large(x), "cost": x.sum()}

    def forward(self, x, index):
        return switch(index, [self.first, self.second], (x,))["out"]


def make_experts_of_two_kinds():
    return Experts(), [((x3(), torch.tensor(0)), {})]


def routed_with_size(x, index):
    return switch(index, (lambda v: (v + 1, v.shape[0]), lambda v: (v - 1, v.shape[0])), (x,))


def make_routed_with_size():
    return routed_with_size, [((torch.randn(size), torch.tensor(1)), {}) for size in (3, 4, 5)]


class SizedExperts(nn.Module):
    def first(self, v):
        return {"out": v.sin(), "rows": v.size(0) * 2}

    def second(self, v):
        return {"out": v.cos(), "rows": v.size(0)}

    def forward(self, x, index):
        found = switch(index, [self.first, self.second], (x,))
        return found["out"] * found["rows"]


def make_sized_experts():
    return SizedExperts(), [((torch.randn(size), torch.tensor(1)), {}) for size in (3, 4, 5)]


def carried(x):
    with torch.no_grad():
        return scan(lambda c, v: (c.add_(v) * 1, v * 2), torch.zeros(3), x)


def make_carry_written():
    return carried, [((torch.randn(4, 3),), {})]


class Erases(nn.Module):
    def step(self, carry, row):
        row.zero_()
        return carry + 1, row * 2

    def forward(self, x):
        with torch.no_grad():
            return scan(self.step, torch.zeros(3), x * 2)


def make_rows_erased():
    return Erases(), [((torch.randn(4, 3),), {})]


def totalled(x, total):
    with torch.no_grad():
        return map_rows(lambda row, t: t.add_(row) * 1, x, total)


def make_total_written():
    return totalled, [((torch.randn(4, 3), torch.zeros(3)), {})]


class Tallies(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("tally", torch.zeros(3))

    def one(self, row):
        self.tally.add_(1)
        return row + self.tally

    def forward(self, x):
        with torch.no_grad():
            return map_rows(self.one, x)


def make_tally_written():
    return Tallies(), [((torch.randn(4, 3),), {})]


@torch.no_grad()
def pairs_totalled(x, totals):
    def add(row, kept):
        kept["sum"].add_(row)
        return row * 2

    return map_rows(add, x, totals)


def make_pairs_totalled():
    return pairs_totalled, [((torch.randn(4, 3), {"sum": torch.zeros(3)}), {})]


@torch.no_grad()
def centred(x):
    mean = torch.zeros(3)

    def one(row):
        mean.mul_(0.9)
        return row - mean

    return map_rows(one, x)


def make_centred():
    return centred, [((torch.randn(4, 3),), {})]


def rows_written(x):
    with torch.no_grad():
        return map_rows(lambda row: row.add_(1) * 1, x * 2)


def make_rows_written():
    return rows_written, [((torch.randn(4, 3),), {})]


class Contexts:
    def __init__(self, kept):
        self.kept = kept

    def pair(self):
        return contextlib.nullcontext(), contextlib.nullcontext()


def recomputed(x):
    contexts = Contexts(x)
    return checkpoint(torch.sin, x, use_reentrant=False, context_fn=contexts.pair)


def make_recomputed_in_made_contexts():
    return recomputed, [((torch.randn(3, requires_grad=True),), {})]


class Recomputes(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(3, 3)

    def contexts(self):
        return Contexts(self.body.weight)

    def forward(self, x):
        return checkpoint(self.body, x, use_reentrant=False, context_fn=self.contexts().pair)


def make_layer_recomputes():
    return Recomputes(), [((torch.randn(3),), {})]


known = Contexts(None)


def recomputed_in_known(x):
    return checkpoint(torch.sin, x, use_reentrant=False, context_fn=known.pair)


def make_recomputed_in_known_contexts():
    return recomputed_in_known, [((torch.randn(3, requires_grad=True),), {})]


class Pair(torch.Tensor):
    @staticmethod
    def __new__(cls, a, b):
        return torch.Tensor._make_wrapper_subclass(cls, a.shape, dtype=a.dtype)

    def __init__(self, a, b):
        self.a = a
        self.b = b

    def __tensor_flatten__(self):
        return ["a", "b"], None

    @staticmethod
    def __tensor_unflatten__(inner, context, size, stride):
        return Pair(inner["a"], inner["b"])

    @classmethod
    def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
        first = [value.a if isinstance(value, Pair) else value for value in args]
        second = [value.b if isinstance(value, Pair) else value for value in args]
        a, b = func(*first, **(kwargs or {})), func(*second, **(kwargs or {}))
        return Pair(a, b) if isinstance(a, torch.Tensor) else a


def asks_pair(x):
    try:
        shared = torch._C._is_cow_tensor(x)
    except (RuntimeError, NotImplementedError):
        shared = True
    return x * 2 if shared else x + 1


def make_asks_pair():
    return asks_pair, [((Pair(torch.randn(3), torch.randn(3)),), {})]


class AsksPair(nn.Module):
    def shared(self, value):
        try:
            return torch._C._is_cow_tensor(value)
        except RuntimeError:
            return True

    def forward(self, x, pair):
        return x * 2 if self.shared(pair) else x + 1


def make_layer_asks_pair():
    return AsksPair(), [((x3(), Pair(torch.randn(3), torch.randn(3))), {})]
