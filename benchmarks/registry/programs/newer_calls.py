"""Calls of Python's own library that the newer torch names a reason of its own for."""

import contextvars
import itertools
import time

import torch
from torch import nn

STEP = contextvars.ContextVar("step", default=2)


def x3():
    return torch.randn(3)


# --- the clock


def timed(x):
    start = time.perf_counter()
    y = x * 2
    return y, time.perf_counter() - start


def make_timed():
    return timed, [((x3(),), {})]


class Stamps(nn.Module):
    def stamp(self):
        return time.time()

    def forward(self, x):
        y = x.sin()
        return y * (self.stamp() > 0)


def make_stamped():
    return Stamps(), [((x3(),), {})]


def since(x, start):
    return x * 2 if start > 0 else x


def make_time_given():
    return since, [((x3(), 1.5), {})]


# --- context variables


def sets_step(x):
    STEP.set(3)
    return x * 2


def make_sets_step():
    return sets_step, [((x3(),), {})]


class Steps(nn.Module):
    def __init__(self, variable):
        super().__init__()
        self.variable = variable

    def forward(self, x):
        token = self.variable.set(4)
        y = x * 2
        self.variable.reset(token)
        return y


def make_sets_and_resets():
    return Steps(contextvars.ContextVar("own", default=1)), [((x3(),), {})]


class Scaled(nn.Module):
    def forward(self, x, step):
        return x * step


def make_step_given():
    return Scaled(), [((x3(), STEP.get()), {})]


# --- keys and padding


def largest(x):
    return max([x, x + 1], key=lambda row: row.sum())


def make_largest_row():
    return largest, [((x3(),), {})]


class Smallest(nn.Module):
    def weight(self, row):
        return row.abs().max()

    def forward(self, x):
        return min((x, x * 2), key=self.weight)


def make_smallest_by_method():
    return Smallest(), [((x3(),), {})]


def smallest_number(x):
    return x * min([3, 1], key=lambda n: -n)


def make_smallest_number():
    return smallest_number, [((x3(),), {})]


def padded(x):
    try:
        return x * len(list(itertools.zip_longest([1], [2, 3], fill=0)))
    except TypeError:
        return x


def make_padded_by_wrong_name():
    return padded, [((x3(),), {})]


class Pads(nn.Module):
    def rows(self):
        return itertools.zip_longest([1], [2, 3], value=0)

    def forward(self, x):
        y = x.cos()
        try:
            return y * len(list(self.rows()))
        except TypeError:
            return y


def make_pads_by_wrong_name():
    return Pads(), [((x3(),), {})]


def padded_well(x):
    return x * len(list(itertools.zip_longest([1], [2, 3], fillvalue=0)))


def make_padded_well():
    return padded_well, [((x3(),), {})]


# --- classes that answer for isinstance


class Anything(type):
    def __instancecheck__(cls, value):
        return value is not None


class Given(metaclass=Anything):
    pass


def if_given(x):
    return x * 2 if isinstance(x, Given) else x


def make_tensor_given():
    return if_given, [((x3(),), {})]


class Asks(nn.Module):
    def is_given(self, value):
        return isinstance(value, (int, Given))

    def forward(self, x):
        y = x.exp()
        return y * 2 if self.is_given(y) else y


def make_computed_given():
    return Asks(), [((x3(),), {})]


def if_number_given(x, n):
    return x * 2 if isinstance(n, Given) else x


def make_number_given():
    return if_number_given, [((x3(), 3), {})]
