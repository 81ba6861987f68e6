"""HASATTR and NONE_MATCH: an attribute that is missing or None when the first call looks."""

from __future__ import annotations

import torch
from torch import nn

X = torch.ones(2, 4)


class LazyScale(nn.Module):
    def forward(self, x):
        if not hasattr(self, "scale"):
            self.scale = x.detach().abs().mean()
        return x / self.scale


def make_missing_then_set():
    return LazyScale(), (X,)


class FallbackOffset(nn.Module):
    def forward(self, x):
        offset = getattr(self, "offset", None)
        self.offset = x.detach().mean()
        return x if offset is None else x - offset


def make_getattr_with_default():
    return FallbackOffset(), (X,)


class TriedTable(nn.Module):
    def forward(self, x):
        try:
            table = self.table
        except AttributeError:
            table = self.table = torch.arange(4.0)
        return x + table


def make_tried_then_set():
    return TriedTable(), (X,)


class Momentum(nn.Module):
    def __init__(self):
        super().__init__()
        self.velocity = None

    def forward(self, x):
        self.velocity = x * 0.1 if self.velocity is None else self.velocity * 0.9 + x * 0.1
        return x - self.velocity


def make_none_then_tensor():
    return Momentum(), (X.detach(),)


class Handed(nn.Module):
    """The tensor is handed over once: None again after it was used."""

    def __init__(self):
        super().__init__()
        self.pending = torch.ones(4)

    def forward(self, x):
        if self.pending is not None:
            x = x + self.pending
        self.pending = None
        return x * 2


def make_tensor_then_none():
    return Handed(), (X,)


class DeletedFlag(nn.Module):
    def __init__(self):
        super().__init__()
        self.warm = True

    def forward(self, x):
        if hasattr(self, "warm"):
            del self.warm
            return x * 0.5
        return x


def make_deleted_once():
    return DeletedFlag(), (X,)


class ChosenWhenSet:
    def __init__(self):
        self.best = None

    def __call__(self, x):
        score = x.sum()
        if self.best is not None:
            score = torch.maximum(self.best, score)
        self.best = score
        return x * score


def make_best_of_object():
    keeper = ChosenWhenSet()
    return lambda x: keeper(x) + 1, (X,)


class WrittenFirst(nn.Module):
    def forward(self, x):
        self.last = x.detach()
        if hasattr(self, "last"):
            return x + self.last
        return x


def make_written_before_the_look():
    return WrittenFirst(), (X,)


class OnlyWritten(nn.Module):
    def __init__(self):
        super().__init__()
        self.attention = None

    def forward(self, x):
        self.attention = x.softmax(-1)
        return x * self.attention


def make_only_written_from_none():
    return OnlyWritten(), (X,)


class SetAndTaken(nn.Module):
    def __init__(self):
        super().__init__()
        self.context = None

    def inner(self, x):
        return x if self.context is None else x + self.context

    def forward(self, x):
        self.context = x.mean()
        out = self.inner(x)
        self.context = None
        return out


def make_set_and_taken_back():
    return SetAndTaken(), (X,)


class Prepared(nn.Module):
    def __init__(self):
        super().__init__()
        self.table = None
        self.prepare()

    def prepare(self):
        self.table = torch.arange(4.0)

    def forward(self, x):
        if self.table is None:
            self.prepare()
        return x + self.table


def make_prepared_in_constructor():
    return Prepared(), (X,)


class OwnScratch(nn.Module):
    """The object that is looked at is made in every call."""

    class Box:
        pass

    def forward(self, x):
        box = self.Box()
        if not hasattr(box, "value"):
            box.value = x * 2
        return box.value


def make_missing_of_a_new_object():
    return OwnScratch(), (X,)


class NeverSet(nn.Module):
    def __init__(self):
        super().__init__()
        self.mask = None

    def set_mask(self, mask):
        self.mask = mask

    def forward(self, x):
        return x if self.mask is None else x * self.mask


def make_set_by_a_caller_only():
    return NeverSet(), (X,)
