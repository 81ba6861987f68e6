"""ID_MATCH, CLASS_MATCH, FUNCTION_MATCH, MODULE_MATCH: functions, classes and layers that are replaced by others."""

from __future__ import annotations

import functools

import torch
from torch import nn

X = torch.ones(2, 4)


def _first(x):
    return x.relu()


def _second(x):
    return x.tanh()


class Activation(nn.Module):
    def __init__(self):
        super().__init__()
        self.act = _first

    def forward(self, x):
        out = self.act(x)
        self.act = _second
        return out


def make_function_replaced():
    return Activation(), (X,)


class Rotating(nn.Module):
    def __init__(self):
        super().__init__()
        self.current, self.other = _first, _second

    def forward(self, x):
        out = self.current(x)
        self.current, self.other = self.other, self.current
        return out


def make_functions_swapped():
    return Rotating(), (X,)


class Layers(nn.Module):
    def __init__(self):
        super().__init__()
        self.active = nn.Linear(4, 4)
        self.spare = nn.Tanh()

    def forward(self, x):
        out = self.active(x)
        self.active = self.spare
        return out


def make_layer_replaced():
    return Layers(), (X,)


class Table:
    op = _first


def make_class_function_replaced():
    def step(x):
        out = Table.op(x)
        Table.op = _second
        return out

    Table.op = _first
    return step, (X,)


class Chosen(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm_class = nn.Identity

    def forward(self, x):
        out = x + 1 if self.norm_class is nn.Identity else x - 1
        self.norm_class = nn.LayerNorm
        return out


def make_class_replaced():
    return Chosen(), (X,)


class Bound(nn.Module):
    def __init__(self):
        super().__init__()
        self.step = self.warm

    def warm(self, x):
        return x * 0.5

    def run(self, x):
        return x * 2

    def forward(self, x):
        out = self.step(x)
        self.step = self.run
        return out


def make_bound_method_replaced():
    return Bound(), (X,)


class InTable(nn.Module):
    def __init__(self):
        super().__init__()
        self.table = {"act": _first}

    def forward(self, x):
        out = self.table["act"](x)
        self.table["act"] = _second
        return out


def make_function_in_a_dict():
    return InTable(), (X,)


class Unchanged(nn.Module):
    def __init__(self):
        super().__init__()
        self.act = _first

    def forward(self, x):
        out = self.act(x)
        self.act = _first
        return out


def make_function_written_as_it_was():
    return Unchanged(), (X,)


class LocalChoice(nn.Module):
    def forward(self, x):
        act = _first
        out = act(x)
        act = _second
        return act(out)


def make_local_function():
    return LocalChoice(), (X,)


class Partial(nn.Module):
    def forward(self, x):
        self.fn = functools.partial(torch.clamp, min=0.0)
        return self.fn(x)


def make_partial_written_first():
    return Partial(), (X,)


class WrittenLayer(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Linear(4, 4), nn.Linear(4, 4)

    def forward(self, x):
        for layer in (self.a, self.b):
            x = layer(x)
        return x


def make_layers_in_turn():
    return WrittenLayer(), (X,)


class SwapBack(nn.Module):
    def __init__(self):
        super().__init__()
        self.act = _first

    def forward(self, x):
        kept = self.act
        self.act = _second
        out = self.act(x)
        self.act = kept
        return out


def make_function_put_back():
    return SwapBack(), (X,)


class HeldObject:
    pass


class Kept(nn.Module):
    def __init__(self):
        super().__init__()
        self.owner = HeldObject()

    def forward(self, x):
        self.owner = HeldObject()
        return x * 2


def make_object_only_written():
    return Kept(), (X,)
