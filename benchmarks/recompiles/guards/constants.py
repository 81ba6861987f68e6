"""EQUALS_MATCH, CONSTANT_MATCH, BOOL_MATCH: numbers, texts, flags, dtypes and devices that the code sets again."""

from __future__ import annotations

import enum

import torch
from torch import nn

X = torch.ones(2, 4)


class Mode(enum.Enum):
    WARM = 1
    RUN = 2


class EnumPhase(nn.Module):
    def __init__(self):
        super().__init__()
        self.mode = Mode.WARM

    def forward(self, x):
        out = x * 0.5 if self.mode is Mode.WARM else x
        self.mode = Mode.RUN
        return out


def make_enum_switched():
    return EnumPhase(), (X,)


class NamedPhase(nn.Module):
    def __init__(self):
        super().__init__()
        self.phase = "prefill"

    def forward(self, x):
        if self.phase == "prefill":
            self.phase = "decode"
            return x * 2
        return x


def make_text_switched():
    return NamedPhase(), (X,)


class WorkDtype(nn.Module):
    def __init__(self):
        super().__init__()
        self.dtype = torch.float32

    def forward(self, x):
        out = x.to(self.dtype)
        self.dtype = torch.float64
        return out + 1


def make_dtype_switched():
    return WorkDtype(), (X,)


class Toggle(nn.Module):
    def __init__(self):
        super().__init__()
        self.shift = False

    def forward(self, x):
        out = x.roll(1, -1) if self.shift else x * 1
        self.shift = not self.shift
        return out


def make_flag_toggled():
    return Toggle(), (X,)


class HeldShape(nn.Module):
    def __init__(self):
        super().__init__()
        self.last_shape = (0, 0)

    def forward(self, x):
        if self.last_shape != tuple(x.shape):
            self.last_shape = tuple(x.shape)
            return x * 0
        return x * 2


def make_shape_remembered():
    return HeldShape(), (X,)


class Schedule:
    alpha = 1.0


def make_class_attribute_decays():
    def step(x):
        out = x * Schedule.alpha
        Schedule.alpha = Schedule.alpha * 0.5
        return out

    Schedule.alpha = 1.0
    return step, (X,)


class Configured(nn.Module):
    def __init__(self):
        super().__init__()
        self.config = {"dropout": 0.0, "stage": "first"}

    def forward(self, x):
        out = x + 1 if self.config["stage"] == "first" else x - 1
        self.config["stage"] = "second"
        return out


def make_value_in_a_dict():
    return Configured(), (X,)


class SecondItem(nn.Module):
    def __init__(self):
        super().__init__()
        self.offsets = [0, 1, 2]

    def forward(self, x):
        out = x + self.offsets[0]
        self.offsets[0] = self.offsets[0] + 1
        return out


def make_number_in_a_list():
    return SecondItem(), (X,)


class WrittenSame(nn.Module):
    def __init__(self):
        super().__init__()
        self.phase = "run"

    def forward(self, x):
        out = x if self.phase == "run" else x * 2
        self.phase = "run"
        return out + 1


def make_text_written_as_it_was():
    return WrittenSame(), (X,)


class PutBack(nn.Module):
    def __init__(self):
        super().__init__()
        self.depth = 0

    def go(self, x):
        return x * (self.depth + 1)

    def forward(self, x):
        self.depth += 1
        out = self.go(x)
        self.depth -= 1
        return out


def make_number_put_back():
    return PutBack(), (X,)


class WrittenThenRead(nn.Module):
    def __init__(self):
        super().__init__()
        self.dtype = torch.float32

    def forward(self, x):
        self.dtype = torch.float64
        return x.to(self.dtype)


def make_dtype_written_first():
    return WrittenThenRead(), (X,)


class SameEnum(nn.Module):
    def __init__(self):
        super().__init__()
        self.mode = Mode.RUN

    def forward(self, x):
        if self.mode is Mode.WARM:
            self.mode = Mode.RUN
        return x * 2


def make_enum_branch_not_taken():
    return SameEnum(), (X,)


class Clamped(nn.Module):
    def __init__(self):
        super().__init__()
        self.level = 3

    def forward(self, x):
        self.level = min(3, self.level + 1)
        return x * self.level


def make_number_at_its_bound():
    return Clamped(), (X,)


class UnreadItem(nn.Module):
    def __init__(self):
        super().__init__()
        self.record = {"size": 0}

    def forward(self, x):
        self.record["size"] = x.shape[0]
        return x * 2


def make_value_in_a_dict_unread():
    return UnreadItem(), (X,)
