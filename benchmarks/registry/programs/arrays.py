"""NumPy arrays between tensors."""

import numpy as np
import torch
from torch import nn


def x3():
    return torch.randn(3)


def scaled_by_type(x):
    a = x.numpy()
    if a.dtype == np.float32:
        a = a * 2
    return torch.from_numpy(a)


def make_scaled_by_type():
    return scaled_by_type, [((x3(),), {})]


class Writable(nn.Module):
    def check(self, array):
        return array.flags.writeable

    def forward(self, x):
        array = np.ones(3, dtype=np.float32)
        if self.check(array):
            array[0] = 2
        return x + torch.from_numpy(array)


def make_writable():
    return Writable(), [((x3(),), {})]


def scaled_by_size(x):
    a = x.numpy()
    if a.ndim == 1:
        a = a * a.size
    return torch.from_numpy(a)


def make_scaled_by_size():
    return scaled_by_size, [((x3(),), {})]


def versioned(x):
    a = x.numpy()
    if getattr(a, "__version__", None) is None:
        a = a + 1
    return torch.from_numpy(a)


def make_versioned():
    return versioned, [((x3(),), {})]


class AnyLibrary(nn.Module):
    def name_of(self, value):
        try:
            return value.__version__
        except AttributeError:
            return "array"

    def forward(self, x):
        array = np.asarray(x)
        return x + len(self.name_of(array))


def make_any_library():
    return AnyLibrary(), [((x3(),), {})]


def boxed(x):
    a = x.numpy().astype(object)
    return x + len(a)


def make_boxed():
    return boxed, [((x3(),), {})]


class Tags(nn.Module):
    def column(self, array):
        return array.astype("O")

    def forward(self, x):
        rows = self.column(np.arange(3))
        return x + rows.shape[0]


def make_tags():
    return Tags(), [((x3(),), {})]


def unboxed(x):
    a = x.numpy().astype(np.float64)
    return x + len(a)


def make_unboxed():
    return unboxed, [((x3(),), {})]


def digest(x):
    data = x.numpy().tobytes()
    return x * len(data)


def make_digest():
    return digest, [((x3(),), {})]


class Serialised(nn.Module):
    def __init__(self):
        super().__init__()
        self.log = []

    def forward(self, x):
        array = np.ones(4)
        self.log.append(array.tobytes())
        return x * 2


def make_serialised():
    return Serialised(), [((x3(),), {})]


def flat_list(x):
    a = x.numpy().ravel()
    return x * len(a)


def make_flat_list():
    return flat_list, [((x3(),), {})]
