"""Branches, loops, scopes and checks of a model's forward."""

import torch
from torch import nn

# --- branches on what was computed


def gate(x):
    if x.sum() > 0:
        return x * 2
    return x


def make_if_sum():
    return gate, [((torch.randn(3),), {})]


class Stops(nn.Module):
    def done(self, x):
        return x.abs().max() < 1e-3

    def forward(self, x):
        y = x / 2
        while not self.done(y):
            y = y / 2
        return y


def make_while_method():
    return Stops(), [((torch.randn(3),), {})]


def either(x, y):
    return x.any() or y.any()


def make_or_tensors():
    return either, [((torch.zeros(3), torch.ones(3)), {})]


def gate_rows(x):
    if x.shape[0] > 2:
        return x * 2
    return x


def make_if_rows():
    return gate_rows, [((torch.randn(3),), {})]


def gate_none(x, mask=None):
    if mask is not None:
        x = x * mask
    return x + 1


def make_if_none():
    return gate_none, [((torch.randn(3), torch.ones(3)), {})]


# --- prints inside loops and scopes


def layers(x):
    for i in range(3):
        x = x * i
        print("layer", i)
    return x


def make_print_in_for():
    return layers, [((torch.randn(3),), {})]


class Iterates(nn.Module):
    def __init__(self):
        super().__init__()
        self.blocks = nn.ModuleList([nn.Linear(3, 3), nn.Linear(3, 3)])

    def note(self, y):
        print(y.shape)

    def forward(self, x):
        y = x
        n = 0
        while n < len(self.blocks):
            y = self.blocks[n](y)
            self.note(y)
            n += 1
        return y


def make_print_in_while_of_module():
    return Iterates(), [((torch.randn(2, 3),), {})]


def layers_quiet(x):
    for i in range(3):
        x = x * i
    print("layers")
    return x


def make_for_then_print():
    return layers_quiet, [((torch.randn(3),), {})]


def layers_only(x):
    for i in range(3):
        x = x * i
    return x


def make_for_alone():
    return layers_only, [((torch.randn(3),), {})]


class Section:
    def __init__(self, name):
        self.name = name

    def __enter__(self):
        return self

    def __exit__(self, *error):
        return False


def in_section(x):
    with Section("a"):
        y = x + 1
        print("inside")
        return y * 2


def make_print_in_section():
    return in_section, [((torch.randn(3),), {})]


class Sections(nn.Module):
    def step(self, y):
        return y * y.max().item()

    def forward(self, x):
        y = x.relu()
        with Section("b") as section:
            z = self.step(y)
            z = z + len(section.name)
        return z


def make_item_in_section_of_module():
    return Sections(), [((torch.randn(3),), {})]


def quiet_section(x):
    with Section("a"):
        y = x + 1
    return y * 2


def make_section_alone():
    return quiet_section, [((torch.randn(3),), {})]


# --- checks


def rows_kept(x):
    assert x.shape[0] < 5, "too many rows"
    return x * 2


def rows_or_plain(x):
    y = x + 1
    try:
        return rows_kept(y)
    except AssertionError:
        return y


def make_assert_rows_fails_later():
    return rows_or_plain, [((torch.randn(3),), {}), ((torch.randn(4),), {}), ((torch.randn(6),), {})]


def make_assert_rows_holds():
    return rows_or_plain, [((torch.randn(3),), {}), ((torch.randn(4),), {})]


class ChecksConfig(nn.Module):
    def __init__(self, heads):
        super().__init__()
        self.heads = heads

    def check(self):
        assert self.heads % 2 == 0, "odd heads"

    def forward(self, x):
        y = x.relu()
        try:
            self.check()
        except AssertionError:
            return y + 1
        return y


def make_assert_config_fails():
    return ChecksConfig(3), [((torch.randn(3),), {})]


def make_assert_config_holds():
    return ChecksConfig(4), [((torch.randn(3),), {})]


def raises_text(x, limit):
    try:
        if limit < 0:
            raise AssertionError("negative limit")
        return x.clamp(max=limit)
    except AssertionError:
        return x * 2


def make_raise_assertion_text():
    return raises_text, [((torch.randn(3), -1), {})]
