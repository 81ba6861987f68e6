"""Tensor subclasses with `__torch_function__`, and tensor types made on the way."""

import torch
from torch import nn


class Plain(torch.Tensor):
    pass


class Refuses:
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        return NotImplemented


def plain():
    return torch.randn(3).as_subclass(Plain)


def added(x, other):
    try:
        return torch.add(x, other)
    except TypeError:
        return x * 2


def make_added_to_refusing():
    return added, [((torch.randn(3), Refuses()), {})]


class Merges(nn.Module):
    def __init__(self, other):
        super().__init__()
        self.other = other

    def merge(self, x):
        try:
            return torch.maximum(x, self.other)
        except TypeError:
            return x

    def forward(self, x):
        return self.merge(x) + 1


def make_merges_refusing():
    return Merges(Refuses()), [((torch.randn(3),), {})]


def make_merges_tensor():
    return Merges(torch.randn(3)), [((torch.randn(3),), {})]


def base_of(x):
    if x._base is None:
        return x * 2
    return x


def make_base_of_subclass():
    return base_of, [((plain(),), {})]


class Owner(nn.Module):
    def owns(self, value):
        return value._base is None

    def forward(self, x):
        y = x + 1
        return y.sin() if self.owns(y) else y


def make_owner_of_subclass():
    return Owner(), [((plain(),), {})]


def shape_of(x):
    if x.ndim == 1:
        return x * 2
    return x


def make_shape_of_subclass():
    return shape_of, [((plain(),), {})]


class Doubled:
    def __get__(self, instance, owner=None):
        return torch.Tensor.shape.__get__(instance)


class Reshaped(torch.Tensor):
    shape = Doubled()
    ndim = 7


def read_shape(x):
    return x * x.shape[0]


def make_own_shape():
    return read_shape, [((torch.randn(3).as_subclass(Reshaped),), {})]


class Scales(nn.Module):
    def forward(self, x):
        return torch.sin(x) * x.ndim


def make_own_ndim():
    return Scales(), [((torch.randn(3).as_subclass(Reshaped),), {})]


class WithProperty(torch.Tensor):
    @property
    def ndim(self):
        return 7


def make_own_property():
    return Scales(), [((torch.randn(3).as_subclass(WithProperty),), {})]


class Loud(torch.Tensor):
    def sigmoid(self):
        return super().sigmoid() * 2


def squashed(x):
    return x.sigmoid() + 1


def make_own_sigmoid():
    return squashed, [((torch.randn(3).as_subclass(Loud),), {})]


class Quantized(torch.Tensor):
    def dequantize(self):
        return self.float() * 0.1

    def add(self, other):
        return torch.add(self, other)


class Dequantizes(nn.Module):
    def open(self, weight):
        return weight.dequantize()

    def forward(self, x, weight):
        return x * self.open(weight)


def make_own_dequantize():
    return Dequantizes(), [((torch.randn(3), torch.randn(3).as_subclass(Quantized)), {})]


def make_own_nothing():
    return squashed, [((plain(),), {})]


def sized(x):
    y = Plain(2, 3)
    return x + y.numel()


def make_sized():
    return sized, [((torch.randn(3),), {})]


class Wraps(nn.Module):
    def __init__(self):
        super().__init__()
        self.kind = Plain

    def forward(self, x):
        scratch = self.kind(x.shape[0])
        return x * scratch.shape[0]


def make_wraps_size():
    return Wraps(), [((torch.randn(3),), {})]


class WrapsTensor(nn.Module):
    def __init__(self):
        super().__init__()
        self.kind = Plain

    def forward(self, x):
        return self.kind(x) * 2


def make_wraps_tensor():
    return WrapsTensor(), [((torch.randn(3),), {})]


def attached(x):
    def double(v):
        return v * 2

    x.double_it = double
    return x.double_it(x)


def make_attached_function():
    return attached, [((torch.randn(3),), {})]


def make_given_function():
    x = torch.randn(3)
    x.double_it = lambda v: v * 2
    return given, [((x,), {})]


def given(x):
    return x.double_it(x) + 1
