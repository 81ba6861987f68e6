"""GRAD_MODE: the grad mode that the code leaves behind."""

from __future__ import annotations

import torch
from torch import nn

X = torch.ones(2, 4)


def _off(x):
    torch.set_grad_enabled(False)
    return x * 2


def make_switched_off():
    return _off, (X,)


class Frozen(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(4, 4)

    def forward(self, x):
        y = self.lin(x)
        torch.set_grad_enabled(False)
        return y


def make_switched_off_in_a_module():
    return Frozen(), (X,)


def _helper(x):
    torch._C._set_grad_enabled(False)
    return x * 3


def make_switched_off_by_the_private_function():
    return lambda x: _helper(x) + 1, (X,)


def _flip(x):
    torch.set_grad_enabled(not torch.is_grad_enabled())
    return x * 2


def make_flipped():
    return _flip, (X,)


class EvalPart(nn.Module):
    def __init__(self):
        super().__init__()
        self.head = nn.Linear(4, 2)

    def freeze(self):
        torch.set_grad_enabled(False)

    def forward(self, x):
        self.freeze()
        return self.head(x)


def make_switched_off_in_a_method():
    return EvalPart(), (X,)


def _with(x):
    with torch.no_grad():
        y = x * 2
    return y + 1


def make_with_no_grad():
    return _with, (X,)


def _restored(x):
    before = torch.is_grad_enabled()
    torch.set_grad_enabled(False)
    y = x * 2
    torch.set_grad_enabled(before)
    return y


def make_put_back():
    return _restored, (X,)


def _same(x):
    torch.set_grad_enabled(True)
    return x * 2


def make_switched_to_what_it_was():
    return _same, (X,)


def _with_set(x):
    with torch.set_grad_enabled(False):
        return x * 2


def make_with_set_grad_enabled():
    return _with_set, (X,)


@torch.no_grad()
def _decorated(x):
    return x * 2


def make_decorated():
    return lambda x: _decorated(x) + 1, (X,)


def _off_and_on(x):
    torch.set_grad_enabled(False)
    y = x * 2
    torch.set_grad_enabled(True)
    return y + 1


def make_off_and_on():
    return _off_and_on, (X,)
