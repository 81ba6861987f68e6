"""TYPE_MATCH: an attribute holds a value of another type after the call."""

from __future__ import annotations

import torch
from torch import nn

X = torch.ones(2, 4)


class NumberThenTensor(nn.Module):
    def __init__(self):
        super().__init__()
        self.total = 0.0

    def forward(self, x):
        self.total = self.total + x.detach().sum()
        return x / self.total


def make_number_then_tensor():
    return NumberThenTensor(), (X,)


class ListThenTensor(nn.Module):
    def __init__(self):
        super().__init__()
        self.history = [0.0]

    def forward(self, x):
        bias = sum(self.history) if isinstance(self.history, list) else self.history.sum()
        self.history = x.detach().mean(0)
        return x + bias


def make_list_then_tensor():
    return ListThenTensor(), (X,)


class TupleThenList(nn.Module):
    def __init__(self):
        super().__init__()
        self.sizes = (1, 2)

    def forward(self, x):
        out = x * self.sizes[0]
        self.sizes = list(self.sizes)
        return out


def make_tuple_then_list():
    return TupleThenList(), (X,)


class Warm:
    def scale(self, x):
        return x * 0.5


class Running:
    def scale(self, x):
        return x * 1.0


class Phases(nn.Module):
    def __init__(self):
        super().__init__()
        self.phase = Warm()
        self.running = Running()

    def forward(self, x):
        out = self.phase.scale(x)
        self.phase = self.running
        return out


def make_object_of_another_class():
    return Phases(), (X,)


class FloatThenInt(nn.Module):
    def __init__(self):
        super().__init__()
        self.width = 2.0

    def forward(self, x):
        out = x * self.width
        self.width = 2
        return out


def make_float_then_int():
    return FloatThenInt(), (X,)


class TextThenNumber(nn.Module):
    def __init__(self):
        super().__init__()
        self.size = "auto"

    def forward(self, x):
        if self.size == "auto":
            self.size = x.shape[-1]
        return x / self.size


def make_text_then_number():
    return TextThenNumber(), (X,)


class DictThenObject(nn.Module):
    def __init__(self):
        super().__init__()
        self.stats = {"mean": 0.0}

    def forward(self, x):
        if isinstance(self.stats, dict):
            x = x - self.stats["mean"]
        self.stats = Running()
        return x * 2


def make_dict_then_object():
    return DictThenObject(), (X,)


class SameClass(nn.Module):
    """A new object of the class it had."""

    def __init__(self):
        super().__init__()
        self.phase = Running()

    def forward(self, x):
        out = self.phase.scale(x)
        self.phase = Running()
        return out


def make_object_of_the_same_class():
    return SameClass(), (X,)


class TensorThenTensor(nn.Module):
    def __init__(self):
        super().__init__()
        self.total = torch.zeros(())

    def forward(self, x):
        self.total = self.total + x.detach().sum()
        return x / self.total


def make_tensor_stays_a_tensor():
    return TensorThenTensor(), (X,)


class NewList(nn.Module):
    def __init__(self):
        super().__init__()
        self.outputs = [torch.zeros(2, 4)]

    def forward(self, x):
        out = x + self.outputs[0]
        self.outputs = [x.detach() * 2]
        return out


def make_list_of_one_stays():
    return NewList(), (X,)


class TypeOfLocal(nn.Module):
    def forward(self, x):
        value = 0
        for _ in range(2):
            value = value + x.sum()
        return x * value


def make_local_number_then_tensor():
    return TypeOfLocal(), (X,)


class ConvertedAtOnce(nn.Module):
    def __init__(self):
        super().__init__()
        self.size = "4"

    def forward(self, x):
        size = int(self.size)
        return x / size


def make_converted_local():
    return ConvertedAtOnce(), (X,)


class SameTuple(nn.Module):
    def __init__(self):
        super().__init__()
        self.sizes = (1, 2)

    def forward(self, x):
        self.sizes = tuple([1, 2])
        return x * self.sizes[1]


def make_tuple_written_first():
    return SameTuple(), (X,)
