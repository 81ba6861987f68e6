"""CONSTANT_MATCH, EQUALS_MATCH, HASATTR, TYPE_MATCH, ID_MATCH: attributes that are reached in other ways than `self.x = 1`."""

from __future__ import annotations

import functools
from dataclasses import dataclass, field
from typing import NamedTuple

import torch
from torch import nn

X = torch.ones(2, 4)


class Warmup(nn.Module):
    def __init__(self):
        super().__init__()
        self._seen = 0

    @property
    def seen(self):
        return self._seen

    @seen.setter
    def seen(self, value):
        self._seen = value

    def forward(self, x):
        scale = min(1.0, self.seen / 100)
        self.seen = self.seen + 1
        return x * scale


def make_counter_behind_a_property():
    return Warmup(), (X,)


@dataclass
class Progress:
    step: int = 0
    history: list = field(default_factory=list)

    def advance(self):
        self.step += 1
        return self.step


class Scheduled(nn.Module):
    def __init__(self):
        super().__init__()
        self.progress = Progress()

    def forward(self, x):
        return x / self.progress.advance()


def make_dataclass_advances():
    return Scheduled(), (X,)


class Stored(nn.Module):
    def __init__(self):
        super().__init__()
        self.__dict__["calls"] = 0

    def forward(self, x):
        self.__dict__["calls"] += 1
        return x * self.__dict__["calls"]


def make_counter_in_the_dict_of_a_module():
    return Stored(), (X,)


class Named(nn.Module):
    def __init__(self):
        super().__init__()
        self.level_a = 0

    def forward(self, x):
        name = "level_a"
        setattr(self, name, getattr(self, name) + 1)
        return x * self.level_a


def make_set_by_name():
    return Named(), (X,)


class State(NamedTuple):
    step: int
    scale: float


class Tupled(nn.Module):
    def __init__(self):
        super().__init__()
        self.state = State(0, 1.0)

    def forward(self, x):
        out = x * self.state.step
        self.state = self.state._replace(step=self.state.step + 1)
        return out


def make_named_tuple_replaced():
    return Tupled(), (X,)


class Device(nn.Module):
    def __init__(self):
        super().__init__()
        self.device = torch.device("meta")

    def forward(self, x):
        moved = x if self.device == x.device else x + 1
        self.device = x.device
        return moved * 2


def make_device_remembered():
    return Device(), (X,)


class Partial(nn.Module):
    def __init__(self):
        super().__init__()
        self.act = functools.partial(torch.clamp, min=0.0)

    def forward(self, x):
        out = self.act(x)
        self.act = functools.partial(torch.clamp, min=0.5)
        return out


def make_partial_replaced():
    return Partial(), (X,)


class Slotted:
    __slots__ = ("factor",)

    def __init__(self):
        self.factor = 1


class WithSlots(nn.Module):
    def __init__(self):
        super().__init__()
        self.box = Slotted()

    def forward(self, x):
        self.box.factor *= 2
        return x * self.box.factor


def make_slot_doubles():
    return WithSlots(), (X,)


class Inherited(Warmup):
    def forward(self, x):
        out = super().forward(x)
        return out + 1


def make_counter_of_a_base_class():
    return Inherited(), (X,)


class Chosen(nn.Module):
    def __init__(self):
        super().__init__()
        self.mode = "first"
        self.a = nn.Linear(4, 4)
        self.b = nn.Linear(4, 4)

    def forward(self, x):
        if self.mode == "first":
            self.mode = "later"
            return self.a(x)
        return self.b(x)


def make_mode_first_then_later():
    return Chosen(), (X,)


# ------------------------------------------------------------------ near misses


@dataclass
class Settings:
    step: int = 0
    scale: int = 1

    def advance(self):
        self.step += 1
        return self.step


class Recorded(nn.Module):
    def __init__(self):
        super().__init__()
        self.progress = Settings()

    def forward(self, x):
        self.progress.scale = 2
        return x * self.progress.scale


def make_dataclass_written_first():
    return Recorded(), (X,)


class Reset(nn.Module):
    def __init__(self):
        super().__init__()
        self._seen = 0

    @property
    def seen(self):
        return self._seen

    @seen.setter
    def seen(self, value):
        self._seen = value

    def forward(self, x):
        self.seen = 3
        return x * self.seen


def make_property_written_first():
    return Reset(), (X,)


class NamedFirst(nn.Module):
    def __init__(self):
        super().__init__()
        self.level_a = 0

    def forward(self, x):
        setattr(self, "level_a", x.shape[0])
        return x * self.level_a


def make_set_by_name_first():
    return NamedFirst(), (X,)


class TupledSame(Tupled):
    def forward(self, x):
        out = x * self.state.step
        self.state = self.state._replace(step=0)
        return out


def make_named_tuple_same_step():
    return TupledSame(), (X,)


class Restored(nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = 1

    def forward(self, x):
        kept = self.scale
        self.scale = 5
        out = x * self.scale
        self.scale = kept
        return out


def make_value_kept_and_put_back():
    return Restored(), (X,)


@dataclass
class Rounds:
    step: int = 0

    def advance(self):
        self.step += 1
        return self.step


class LocalProgress(nn.Module):
    def forward(self, x):
        progress = Rounds()
        for _ in range(3):
            x = x * progress.advance()
        return x


def make_local_dataclass_advances():
    return LocalProgress(), (X,)


class TrySame(nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = 1

    def forward(self, x):
        kept = self.scale
        try:
            self.scale = 4
            return x * self.scale
        finally:
            self.scale = kept


def make_put_back_in_finally():
    return TrySame(), (X,)
