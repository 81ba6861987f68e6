"""Tools of torch._dynamo inside a model, and a few checks and borrowed functions."""

import types

import numpy as np
import torch
from torch import nn

# --- tools


def first_step(x):
    torch._dynamo.step_unsupported()
    return x * 2


def make_step_at_start():
    return first_step, [((torch.randn(3),), {})]


class Steps(nn.Module):
    def forward(self, x):
        torch._dynamo.step_unsupported()
        y = x.relu()
        return y + 1


def make_step_at_start_of_module():
    return Steps(), [((torch.randn(3),), {})]


def nested_traced(x):
    def double(y):
        return y * 2

    return torch._dynamo.nonstrict_trace(double)(x) + 1


def make_nonstrict_of_nested():
    return nested_traced, [((torch.randn(3),), {})]


class Wraps(nn.Module):
    def wrap(self, fn):
        return torch._dynamo.nonstrict_trace(fn)

    def forward(self, x):
        y = x.relu()
        return self.wrap(lambda z: z * 3)(y)


def make_nonstrict_of_lambda():
    return Wraps(), [((torch.randn(3),), {})]


@torch._dynamo.nonstrict_trace
def tripled(x):
    return x * 3


def uses_tripled(x):
    return tripled(x) + 1


def make_nonstrict_decorator():
    return uses_tripled, [((torch.randn(3),), {})]


# --- functions with the globals of another module


def keep(y):
    global HANDLE
    HANDLE = y.register_hook(lambda grad: grad * 2)


def count(y):
    global CALLS
    CALLS = y.dim()


ELSEWHERE = {"__name__": "json", "__builtins__": __builtins__, "torch": torch}
borrowed_keep = types.FunctionType(keep.__code__, ELSEWHERE)
borrowed_count = types.FunctionType(count.__code__, ELSEWHERE)


def keeps_elsewhere(x):
    y = x * 2
    borrowed_keep(y)
    return y.sum()


def make_handle_kept_elsewhere():
    return keeps_elsewhere, [((torch.randn(3, requires_grad=True),), {})]


class KeepsElsewhere(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(3, 3)
        self.keep = borrowed_keep

    def forward(self, x):
        h = self.lin(x)
        self.keep(h)
        return h.sum()


def make_handle_kept_elsewhere_by_module():
    return KeepsElsewhere(), [((torch.randn(2, 3),), {})]


def counts_elsewhere(x):
    y = x * 2
    borrowed_count(y)
    return y.sum()


def make_number_kept_elsewhere():
    return counts_elsewhere, [((torch.randn(3),), {})]


# --- checks


class Bounded(nn.Module):
    def check(self, tokens):
        assert tokens.shape[0] != 6

    def forward(self, tokens):
        y = tokens.float()
        try:
            self.check(tokens)
        except AssertionError:
            return y[:3]
        return y * 2


def make_assert_length_fails_later():
    return Bounded(), [((torch.ones(n),), {}) for n in (3, 4, 6)]


def steps(n):
    while n:
        yield n
        n -= 1


class Watches(nn.Module):
    def forward(self, x):
        y = x.relu()
        rows = steps(2)
        if not rows.gi_running:
            return y * 2
        return y


def make_generator_running_in_module():
    return Watches(), [((torch.randn(3),), {})]


# --- limits of numpy


def limit_of(x):
    a = x.numpy()
    try:
        return x * float(np.finfo(a).eps)
    except (TypeError, ValueError):
        return x


def make_finfo_of_array():
    return limit_of, [((torch.randn(3),), {})]


class Limits(nn.Module):
    def top(self, a):
        try:
            return np.iinfo(a[:1]).max
        except (TypeError, ValueError):
            return 1

    def forward(self, x):
        y = x.round().to(torch.int32)
        return y / self.top(y.numpy())


def make_iinfo_of_array_in_method():
    return Limits(), [((torch.randn(3),), {})]
