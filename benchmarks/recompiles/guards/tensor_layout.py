"""TENSOR_MATCH, size and stride: a kept tensor comes back longer, with other dimensions, or permuted."""

from __future__ import annotations

import torch
from torch import nn

X = torch.ones(2, 4)


class Longer(nn.Module):
    def __init__(self):
        super().__init__()
        self.keys = torch.zeros(1, 4)

    def forward(self, x):
        self.keys = torch.cat([self.keys, x.detach()])
        return x @ self.keys.t()


def make_cat():
    return Longer(), (X,)


class Transposed(nn.Module):
    def __init__(self):
        super().__init__()
        self.table = torch.arange(16.0).reshape(4, 4)

    def forward(self, x):
        out = x @ self.table
        self.table = self.table.t()
        return out


def make_transposed():
    return Transposed(), (X,)


class Broadcast(nn.Module):
    def __init__(self):
        super().__init__()
        self.mean = torch.zeros(())

    def forward(self, x):
        self.mean = self.mean * 0.9 + x.detach().mean(0) * 0.1
        return x - self.mean


def make_scalar_then_vector():
    return Broadcast(), (X,)


class Batched(nn.Module):
    def __init__(self):
        super().__init__()
        self.hidden = torch.zeros(1, 4)

    def forward(self, x):
        self.hidden = torch.tanh(x.detach() + self.hidden)
        return self.hidden * 2


def make_one_row_then_a_batch():
    return Batched(), (X,)


class Empty(nn.Module):
    def __init__(self):
        super().__init__()
        self.memory = torch.empty(0, 4)

    def forward(self, x):
        out = x + self.memory.sum(0)
        self.memory = x.detach() * 0.5
        return out


def make_empty_then_filled():
    return Empty(), (X,)


class Padded(nn.Module):
    def __init__(self):
        super().__init__()
        self.track = torch.zeros(4)

    def forward(self, x):
        self.track = nn.functional.pad(self.track, (0, 1))
        return x * self.track.sum()


def make_padded():
    return Padded(), (X,)


class Shorter(nn.Module):
    def __init__(self):
        super().__init__()
        self.rest = torch.arange(20.0)

    def forward(self, x):
        head = self.rest[0]
        self.rest = self.rest[1:]
        return x * head


def make_cut_off():
    return Shorter(), (X,)


class Unsqueezed(nn.Module):
    def __init__(self):
        super().__init__()
        self.bias = torch.zeros(4)

    def forward(self, x):
        out = x + self.bias
        if self.bias.dim() == 1:
            self.bias = self.bias.unsqueeze(0)
        return out


def make_unsqueezed():
    return Unsqueezed(), (X,)


class Rolled(nn.Module):
    def __init__(self):
        super().__init__()
        self.window = torch.zeros(3, 4)

    def forward(self, x):
        self.window = torch.cat([self.window[1:], x.detach().mean(0, keepdim=True)])
        return x + self.window.mean(0)


def make_window_of_fixed_size():
    return Rolled(), (X,)


class SameSize(nn.Module):
    def __init__(self):
        super().__init__()
        self.hidden = torch.zeros(2, 4)

    def forward(self, x):
        self.hidden = torch.tanh(x.detach() + self.hidden)
        return self.hidden * 2


def make_same_size():
    return SameSize(), (X,)


class Rows(nn.Module):
    def __init__(self):
        super().__init__()
        self.mean = torch.zeros(4)

    def forward(self, x):
        self.mean = self.mean * 0.9 + x.detach().mean(0) * 0.1
        return x - self.mean


def make_mean_of_rows():
    return Rows(), (X,)


class Ring(nn.Module):
    def __init__(self):
        super().__init__()
        self.ring = torch.zeros(3, 4)

    def forward(self, x):
        self.ring = self.ring.roll(1, 0)
        self.ring[0] = x.detach().mean(0)
        return x + self.ring[0]


def make_ring():
    return Ring(), (X,)


class Symmetric(nn.Module):
    """Transposed twice: it lies as it lay."""

    def __init__(self):
        super().__init__()
        self.table = torch.arange(16.0).reshape(4, 4)

    def forward(self, x):
        self.table = (self.table.t() * 0.5).t()
        return x @ self.table


def make_transposed_twice():
    return Symmetric(), (X,)


class LocalCat(nn.Module):
    def __init__(self):
        super().__init__()
        self.prefix = torch.zeros(1, 4)

    def forward(self, x):
        rows = torch.cat([self.prefix, x])
        return rows * 2


def make_local_cat():
    return LocalCat(), (X,)


class KeepScalar(nn.Module):
    def __init__(self):
        super().__init__()
        self.mean = torch.zeros(())

    def forward(self, x):
        self.mean = self.mean * 0.9 + x.detach().mean() * 0.1
        return x - self.mean


def make_scalar_stays():
    return KeepScalar(), (X,)
