"""TENSOR_MATCH and DUPLICATE_INPUT: parameter or tensor, and two names for one tensor."""

from __future__ import annotations

import torch
from torch import nn

X = torch.ones(2, 4)


class Aliased(nn.Module):
    """After the first call both names hold one tensor."""

    def __init__(self):
        super().__init__()
        self.online = torch.zeros(4)
        self.target = torch.zeros(4)

    def forward(self, x):
        out = x + self.online - self.target
        self.target = self.online
        return out


def make_two_names_for_one():
    return Aliased(), (X,)


class KeptInput(nn.Module):
    """The input itself is kept: the next call gets it twice."""

    def __init__(self):
        super().__init__()
        self.last = torch.zeros(2, 4)

    def forward(self, x):
        out = x - self.last
        self.last = x
        return out


def make_input_kept():
    return KeptInput(), (X,)


class InputInList(nn.Module):
    def __init__(self):
        super().__init__()
        self.recent = [torch.zeros(2, 4)]

    def forward(self, x):
        out = x + self.recent[0]
        self.recent[0] = x
        return out


def make_input_kept_in_a_list():
    return InputInList(), (X,)


class WeightAsMean(nn.Module):
    """A plain tensor is replaced by the parameter."""

    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(4))
        self.__dict__["copy"] = torch.zeros(4)

    def forward(self, x):
        out = x * self.weight + self.copy
        self.__dict__["copy"] = self.weight
        return out


def make_parameter_under_another_name():
    return WeightAsMean(), (X,)


PREVIOUS = torch.zeros(2, 4)


def _keep(x):
    global PREVIOUS
    out = x - PREVIOUS
    PREVIOUS = x
    return out


def make_input_kept_in_a_global():
    global PREVIOUS
    PREVIOUS = torch.zeros(2, 4)
    return _keep, (X,)


def make_input_kept_by_a_closure():
    last = torch.zeros(2, 4)

    def step(x):
        nonlocal last
        out = x - last
        last = x
        return out

    return step, (X,)


class Cloned(nn.Module):
    def __init__(self):
        super().__init__()
        self.online = torch.zeros(4)
        self.target = torch.zeros(4)

    def forward(self, x):
        out = x + self.online - self.target
        self.target = self.online.clone()
        return out


def make_clone():
    return Cloned(), (X,)


class InputCloned(nn.Module):
    def __init__(self):
        super().__init__()
        self.last = torch.zeros(2, 4)

    def forward(self, x):
        out = x - self.last
        self.last = x.clone()
        return out


def make_input_cloned():
    return InputCloned(), (X,)


class InputScaled(nn.Module):
    def __init__(self):
        super().__init__()
        self.last = torch.zeros(2, 4)

    def forward(self, x):
        out = x - self.last
        self.last = x * 0.5
        return out


def make_input_scaled():
    return InputScaled(), (X,)


class InputDetached(nn.Module):
    def __init__(self):
        super().__init__()
        self.last = torch.zeros(2, 4)

    def forward(self, x):
        out = x - self.last
        self.last = x.detach()
        return out


def make_input_detached():
    return InputDetached(), (X,)


class InputWrittenFirst(nn.Module):
    def __init__(self):
        super().__init__()
        self.last = torch.zeros(2, 4)

    def forward(self, x):
        self.last = x
        return self.last * 2


def make_input_written_first():
    return InputWrittenFirst(), (X,)


class Swapped(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = torch.zeros(4)
        self.b = torch.ones(4)

    def forward(self, x):
        out = x + self.a - self.b
        self.a, self.b = self.b, self.a
        return out


def make_swapped():
    return Swapped(), (X,)
