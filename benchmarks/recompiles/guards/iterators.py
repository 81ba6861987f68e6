"""TUPLE_ITERATOR_LEN, RANGE_ITERATOR_MATCH, COUNT_ITERATOR_MATCH: iterators that live longer than the call."""

from __future__ import annotations

import itertools

import torch
from torch import nn

X = torch.ones(2, 4)


class Numbered(nn.Module):
    def __init__(self):
        super().__init__()
        self.ids = itertools.count()

    def forward(self, x):
        return x + next(self.ids)


def make_count():
    return Numbered(), (X,)


class Ranged(nn.Module):
    def __init__(self):
        super().__init__()
        self.ids = iter(range(100))

    def forward(self, x):
        return x * next(self.ids)


def make_range_iterator():
    return Ranged(), (X,)


class OfTuple(nn.Module):
    def __init__(self):
        super().__init__()
        self.scales = iter(tuple(float(i) for i in range(20)))

    def forward(self, x):
        return x * next(self.scales)


def make_tuple_iterator():
    return OfTuple(), (X,)


_COUNTER = itertools.count(1)


def _numbered(x):
    return x / next(_COUNTER)


def make_global_count():
    global _COUNTER
    _COUNTER = itertools.count(1)
    return _numbered, (X,)


class InRound(nn.Module):
    def __init__(self):
        super().__init__()
        self.turns = itertools.cycle([1.0, 2.0])

    def forward(self, x):
        return x * next(self.turns)


def make_cycle():
    return InRound(), (X,)


class OfList(nn.Module):
    def __init__(self):
        super().__init__()
        self.scales = iter([float(i) for i in range(20)])

    def forward(self, x):
        return x * next(self.scales)


def make_list_iterator():
    return OfList(), (X,)


def make_enclosed_count():
    ids = itertools.count()

    def step(x):
        return x + next(ids)

    return step, (X,)


class LocalCount(nn.Module):
    def forward(self, x):
        ids = itertools.count()
        return x + next(ids) + next(ids)


def make_local_count():
    return LocalCount(), (X,)


class Unadvanced(nn.Module):
    def __init__(self):
        super().__init__()
        self.ids = itertools.count()

    def forward(self, x):
        return x * 2


def make_iterator_not_advanced():
    return Unadvanced(), (X,)


class ZippedLocal(nn.Module):
    def __init__(self):
        super().__init__()
        self.scales = (1.0, 2.0)

    def forward(self, x):
        rows = iter(self.scales)
        first = next(rows)
        return x * first + next(rows)


def make_iterator_of_state_made_inside():
    return ZippedLocal(), (X,)


class MadeAnew(nn.Module):
    def __init__(self):
        super().__init__()
        self.ids = None

    def forward(self, x):
        self.ids = iter((3.0, 4.0))
        return x * next(self.ids)


def make_iterator_written_first():
    return MadeAnew(), (X,)


class Enumerated(nn.Module):
    def __init__(self):
        super().__init__()
        self.scales = [1.0, 2.0]

    def forward(self, x):
        for i, scale in enumerate(self.scales):
            x = x * scale + i
        return x


def make_enumerated_state():
    return Enumerated(), (X,)
