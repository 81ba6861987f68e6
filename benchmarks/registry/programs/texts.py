"""Text of values: repr and str."""

import numpy as np
import torch
from torch import nn


def show(x, a):
    return x * len(repr(a))


def make_repr_of_range():
    return show, [((torch.randn(3), range(3)), {})]


def make_repr_of_list():
    return show, [((torch.randn(3), [1, 2]), {})]


def make_repr_of_tensor():
    return lambda x: show(x, x + 1), [((torch.randn(3),), {})]


def make_repr_of_array():
    return show, [((torch.randn(3), np.ones(2)), {})]


def make_repr_of_iterator():
    return lambda x: show(x, iter([1])), [((torch.randn(3),), {})]


def make_repr_of_slice():
    return show, [((torch.randn(3), slice(0, 2)), {})]


def make_repr_of_exception():
    return lambda x: show(x, ValueError("a")), [((torch.randn(3),), {})]


def make_repr_of_module():
    return show, [((torch.randn(3), nn.ReLU()), {})]


def make_repr_of_property():
    return show, [((torch.randn(3), nn.Module), {})]


def make_repr_of_typing():
    return lambda x: show(x, list[int]), [((torch.randn(3),), {})]


def make_repr_of_super():
    class Child(nn.ReLU):
        def forward(self, x):
            return super().forward(x) * (len(repr(super())) > 0)

    return Child(), [((torch.randn(3),), {})]


def text(x, a):
    return x * len(str(a))


def make_str_of_tensor():
    return lambda x: text(x, x + 1), [((torch.randn(3),), {})]


def make_str_of_list():
    return text, [((torch.randn(3), [1, 2]), {})]


def make_str_of_dtype():
    return lambda x: text(x, x.dtype), [((torch.randn(3),), {})]


def make_str_of_size():
    return lambda x: text(x, x.shape), [((torch.randn(3),), {})]


def make_str_of_method():
    return lambda x: text(x, x.sum), [((torch.randn(3),), {})]


def make_str_of_iterator():
    return lambda x: text(x, iter([1])), [((torch.randn(3),), {})]


def make_str_of_list_of_tensors():
    return lambda x: text(x, [x, x + 1]), [((torch.randn(3),), {})]
