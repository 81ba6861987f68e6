"""SEQUENCE_LENGTH: lists, tuples and deques that get longer or shorter."""

from __future__ import annotations

import collections

import torch
from torch import nn

X = torch.ones(2, 4)


class Log(nn.Module):
    def __init__(self):
        super().__init__()
        self.norms = []

    def forward(self, x):
        self.norms.append(x.norm())
        return x / 2


def make_append():
    return Log(), (X,)


class Extended(nn.Module):
    def __init__(self):
        super().__init__()
        self.items = [1]

    def forward(self, x):
        self.items += [len(self.items)]
        return x * self.items[0]


def make_augmented_list():
    return Extended(), (X,)


class TupleGrows(nn.Module):
    def __init__(self):
        super().__init__()
        self.seen = ()

    def forward(self, x):
        self.seen = (*self.seen, x.detach())
        return x * len(self.seen)


def make_tuple_longer():
    return TupleGrows(), (X,)


class Drained(nn.Module):
    def __init__(self):
        super().__init__()
        self.todo = [1.0, 2.0, 3.0]

    def forward(self, x):
        if self.todo:
            return x * self.todo.pop()
        return x


def make_popped():
    return Drained(), (X,)


class Cleared(nn.Module):
    def __init__(self):
        super().__init__()
        self.pending = [torch.ones(4)]

    def forward(self, x):
        for one in self.pending:
            x = x + one
        self.pending.clear()
        return x * 2


def make_cleared():
    return Cleared(), (X,)


class Queue(nn.Module):
    def __init__(self):
        super().__init__()
        self.queue = collections.deque()

    def forward(self, x):
        self.queue.append(x.detach())
        return x + self.queue[0]


def make_deque_longer():
    return Queue(), (X,)


HISTORY: list = []


def _remember(x):
    HISTORY.insert(0, x.detach())
    return x + len(HISTORY)


def make_global_list_inserted():
    HISTORY.clear()
    return _remember, (X,)


class Modules(nn.Module):
    def __init__(self):
        super().__init__()
        self.kinds = ["a"]

    def forward(self, x):
        if len(self.kinds) < 3:
            self.kinds.append("b")
        return x * len(self.kinds)


def make_grows_to_a_bound():
    return Modules(), (X,)


class PushPop(nn.Module):
    def __init__(self):
        super().__init__()
        self.stack = []

    def forward(self, x):
        self.stack.append(x * 2)
        y = x + 1
        return y + self.stack.pop()


def make_push_and_pop():
    return PushPop(), (X,)


class NewEachTime(nn.Module):
    def __init__(self):
        super().__init__()
        self.losses = []

    def forward(self, x):
        self.losses = []
        for scale in (1.0, 2.0):
            self.losses.append(x.mean() * scale)
        return sum(self.losses)


def make_list_made_again():
    return NewEachTime(), (X,)


class Replaced(nn.Module):
    def __init__(self):
        super().__init__()
        self.slots = [torch.zeros(4), torch.zeros(4)]

    def forward(self, x):
        self.slots[0], self.slots[1] = self.slots[1], x.detach().mean(0)
        return x + self.slots[0]


def make_items_replaced():
    return Replaced(), (X,)


class Rolled(nn.Module):
    def __init__(self):
        super().__init__()
        self.window = [torch.zeros(4), torch.zeros(4)]

    def forward(self, x):
        self.window = [*self.window[1:], x.detach().mean(0)]
        return x + self.window[0]


def make_window_of_fixed_length():
    return Rolled(), (X,)


class LocalList(nn.Module):
    def forward(self, x):
        parts = []
        for i in range(3):
            parts.append(x * i)
        return torch.stack(parts)


def make_local_list():
    return LocalList(), (X,)


class ClearedFirst(nn.Module):
    def __init__(self):
        super().__init__()
        self.outs = []

    def forward(self, x):
        self.outs.clear()
        self.outs.append(x * 2)
        return self.outs[0]


def make_cleared_and_filled():
    return ClearedFirst(), (X,)


class PopAppend(nn.Module):
    def __init__(self):
        super().__init__()
        self.window = [torch.zeros(4), torch.zeros(4)]

    def forward(self, x):
        oldest = self.window.pop(0)
        self.window.append(x.detach().mean(0))
        return x + oldest


def make_popped_and_appended():
    return PopAppend(), (X,)
