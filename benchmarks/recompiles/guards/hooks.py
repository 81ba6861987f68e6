"""EMPTY_NN_MODULE_HOOKS_DICT, NN_MODULE: hooks, layers and parameters that the code adds to a module."""

from __future__ import annotations

import torch
from torch import nn

X = torch.ones(2, 4)


class LateLayer(nn.Module):
    def __init__(self):
        super().__init__()
        self.proj = None

    def forward(self, x):
        if self.proj is None:
            self.proj = nn.Linear(4, 4)
        return self.proj(x)


def make_layer_made_late():
    return LateLayer(), (X,)


class LateBuffer(nn.Module):
    def forward(self, x):
        if not hasattr(self, "mask"):
            self.register_buffer("mask", torch.ones(4))
        return x * self.mask


def make_buffer_registered_late():
    return LateBuffer(), (X,)


class BufferByName(nn.Module):
    def forward(self, x):
        if "mask" not in self._buffers:
            self.register_buffer("mask", torch.ones(4))
        return x * self.mask


def make_buffer_looked_up():
    return BufferByName(), (X,)


class MoreLayers(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(4, 4)])
        self.spare = nn.Linear(4, 4)

    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        if len(self.layers) < 2:
            self.layers.append(self.spare)
        return x


def make_module_list_longer():
    return MoreLayers(), (X,)


class CountsModules(nn.Module):
    def __init__(self):
        super().__init__()
        self.parts = nn.ModuleDict()
        self.first = nn.Linear(4, 4)

    def forward(self, x):
        if "a" not in self.parts:
            self.parts["a"] = self.first
        return self.parts["a"](x)


def make_module_dict_gains_a_key():
    return CountsModules(), (X,)


class LateAttribute(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = nn.Linear(4, 4)

    def forward(self, x):
        if not getattr(self.inner, "initialised", False):
            self.inner.initialised = True
            return x * 0
        return self.inner(x)


def make_attribute_of_a_layer():
    return LateAttribute(), (X,)


class Prepared(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("mask", torch.ones(4))

    def forward(self, x):
        if "mask" not in self._buffers:
            self.register_buffer("mask", torch.ones(4))
        return x * self.mask


def make_buffer_there_already():
    return Prepared(), (X,)


class Hooked(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(4, 4)
        self.lin.register_forward_hook(lambda m, a, out: out * 2)

    def forward(self, x):
        return self.lin(x)


def make_hooked_before():
    return Hooked(), (X,)


class SameLayer(nn.Module):
    def __init__(self):
        super().__init__()
        self.proj = nn.Linear(4, 4)

    def forward(self, x):
        if self.proj is None:
            self.proj = nn.Linear(4, 4)
        return self.proj(x)


def make_layer_there_already():
    return SameLayer(), (X,)


class BufferReplaced(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("state", torch.zeros(2, 4))

    def forward(self, x):
        out = x + self.state
        self.state = x.detach() * 2
        return out


def make_buffer_replaced():
    return BufferReplaced(), (X,)


class LayerAttributeWritten(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = nn.Linear(4, 4)

    def forward(self, x):
        self.inner.last = x
        return self.inner(x)


def make_attribute_of_a_layer_written():
    return LayerAttributeWritten(), (X,)
