"""TENSOR_MATCH, DUPLICATE_INPUT, NO_TENSOR_ALIASING: tensors of a model that come back with other properties."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import nn

X = torch.ones(2, 4)


class KeyCache(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("k", torch.zeros(0, 4), persistent=False)
        self.proj = nn.Linear(4, 4)

    def forward(self, x):
        self.k = torch.cat([self.k, self.proj(x).detach()], dim=0)
        return x @ self.k.t()


def make_key_cache_grows():
    return KeyCache(), (X,)


class Thawed(nn.Module):
    def __init__(self):
        super().__init__()
        self.base = nn.Linear(4, 4)
        self.base.weight.requires_grad_(False)

    def forward(self, x):
        out = self.base(x)
        self.base.weight.requires_grad_(True)
        return out


def make_weight_thawed():
    return Thawed(), (X,)


class HalfState(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("ema", torch.zeros(4))

    def forward(self, x):
        self.ema = (0.9 * self.ema + 0.1 * x.detach().mean(0)).bfloat16()
        return x + self.ema.float()


def make_average_in_half():
    return HalfState(), (X,)


class Recurrent(nn.Module):
    def __init__(self):
        super().__init__()
        self.cell = nn.GRUCell(4, 4)
        self.h = torch.zeros(1, 4)

    def forward(self, x):
        self.h = self.cell(x, self.h.expand(x.shape[0], 4)).detach()
        return self.h * 2


def make_hidden_takes_the_batch():
    return Recurrent(), (X,)


class Flattened(nn.Module):
    def __init__(self):
        super().__init__()
        self.memory = torch.zeros(2, 4)

    def forward(self, x):
        out = x.reshape(-1) + self.memory.reshape(-1)
        self.memory = out.detach()
        return out


def make_memory_flattened():
    return Flattened(), (X,)


class Strided(nn.Module):
    def __init__(self):
        super().__init__()
        self.memory = torch.zeros(4, 4)

    def forward(self, x):
        out = x @ self.memory
        self.memory = (self.memory + 1).t()
        return out


def make_memory_transposed():
    return Strided(), (X,)


class Weighted(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(4, 4)
        self.total = torch.zeros(())

    def forward(self, x):
        out = self.lin(x)
        self.total = self.total + out.pow(2).mean()
        return out


def make_auxiliary_loss_accumulates():
    return Weighted(), (X,)


class Padded(nn.Module):
    def __init__(self):
        super().__init__()
        self.bias = torch.zeros(1, 4)

    def forward(self, x):
        out = x.sum() + self.bias
        self.bias = F.pad(self.bias, (0, 1))
        return out


def make_table_padded():
    return Padded(), (X,)


class Complexed(nn.Module):
    def __init__(self):
        super().__init__()
        self.freq = torch.ones(4)

    def forward(self, x):
        out = x * self.freq
        self.freq = torch.polar(torch.ones(4), torch.ones(4))
        return out


def make_real_then_complex():
    return Complexed(), (X,)


class Wrapped(nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = torch.ones(4)

    def forward(self, x):
        out = x * self.scale
        self.__dict__["scale"] = self.scale.double()
        return out


def make_state_to_double_through_the_dict():
    return Wrapped(), (X,)


# ------------------------------------------------------------------ near misses


class StaticCache(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("k", torch.zeros(8, 4))
        self.register_buffer("at", torch.zeros((), dtype=torch.long))

    def forward(self, x):
        index = self.at + torch.arange(x.shape[0])
        self.k.index_copy_(0, index % 8, x.detach() * 1)
        self.at += 1
        return x @ self.k.t()


def make_static_cache():
    return StaticCache(), (X,)


class EmaKept(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("ema", torch.zeros(4))

    def forward(self, x):
        self.ema = torch.lerp(self.ema, x.detach().mean(0), 0.1)
        return x + self.ema


def make_average_kept():
    return EmaKept(), (X,)


class RolledWindow(nn.Module):
    def __init__(self):
        super().__init__()
        self.window = torch.zeros(5, 4)

    def forward(self, x):
        self.window = torch.cat([self.window[1:], x.detach().mean(0, keepdim=True)])
        return x + self.window.mean(0)


def make_window_rolled():
    return RolledWindow(), (X,)


class TwoViews(nn.Module):
    def __init__(self):
        super().__init__()
        self.memory = torch.zeros(4, 4)

    def forward(self, x):
        out = x @ self.memory.t()
        self.memory = self.memory.t().contiguous() + 1
        return out


def make_transposed_and_copied():
    return TwoViews(), (X,)


class HalfLocal(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("scale", torch.ones(4))

    def forward(self, x):
        scale = self.scale.bfloat16()
        return x * scale.float()


def make_half_only_here():
    return HalfLocal(), (X,)


class LossKept(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(4, 4)
        self.total = torch.zeros(())

    def forward(self, x):
        out = self.lin(x)
        self.total = self.total + out.pow(2).mean().detach()
        return out


def make_auxiliary_loss_detached():
    return LossKept(), (X,)


class Frozen(nn.Module):
    def __init__(self):
        super().__init__()
        self.base = nn.Linear(4, 4)
        self.base.weight.requires_grad_(False)

    def forward(self, x):
        self.base.weight.requires_grad_(False)
        return self.base(x)


def make_weight_stays_frozen():
    return Frozen(), (X,)


class Copy(nn.Module):
    def __init__(self):
        super().__init__()
        self.previous = torch.zeros(2, 4)

    def forward(self, x):
        delta = x - self.previous
        self.previous.copy_(x.detach())
        return delta


def make_previous_copied_in_place():
    return Copy(), (X,)
