"""Tensors that share memory until one of them is written (`_lazy_clone`), and `switch`."""

import torch
from torch import nn
from torch._higher_order_ops.switch import switch

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
