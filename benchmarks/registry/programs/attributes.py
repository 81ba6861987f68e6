"""Writing attributes: of tensors, modules, functions, classes and objects."""

import abc
import array
import functools
import sys
import types

import torch
from torch import nn


class Holder:
    def __init__(self):
        self.scale = 2.0


# --- names formatted from tensors


def named_by_peak(holder, x):
    setattr(holder, f"peak_{x.max():.0f}", 1.0)
    return x * holder.scale


def make_setattr_formatted():
    return named_by_peak, [((Holder(), torch.zeros(3)), {})]


class Labels(nn.Module):
    def __init__(self):
        super().__init__()
        self.holder = Holder()

    def label(self, value):
        setattr(self.holder, f"step_{value}", 0)

    def forward(self, x):
        y = x.sum()
        self.label(y)
        return y * 2


def make_setattr_formatted_in_method():
    return Labels(), [((torch.zeros(3),), {})]


class Drops:
    def __init__(self):
        self.peak_0 = 1.0

    def __delattr__(self, name):
        super().__delattr__(name)


def drop_by_peak(drops, x):
    delattr(drops, f"peak_{x.max():.0f}")
    return x * 2


def make_delattr_formatted():
    return drop_by_peak, [((Drops(), torch.zeros(3)), {})]


class Forgets(nn.Module):
    def forward(self, x):
        y = x.abs().sum()
        drops = Drops()
        drops.__delattr__(f"peak_{y:.0f}")
        return y + 1


def make_delattr_formatted_of_module():
    return Forgets(), [((torch.zeros(3),), {})]


def drop_named(drops, x):
    delattr(drops, "peak_0")
    return x * 2


def make_delattr_named():
    return drop_named, [((Drops(), torch.zeros(3)), {})]


# --- attributes of tensors


def wants_grad(x):
    y = x.detach().clone()
    y.requires_grad = True
    return y * 2


def make_requires_grad_set():
    return wants_grad, [((torch.randn(3),), {})]


class Leaf(nn.Module):
    def leaf(self, x):
        x.requires_grad = True
        return x

    def forward(self, x):
        y = x.detach() + 1
        return self.leaf(y).sum()


def make_requires_grad_set_in_method():
    return Leaf(), [((torch.randn(3),), {})]


def wants_grad_call(x):
    y = torch.zeros(3, requires_grad=True)
    return y * x


def make_requires_grad_at_creation():
    return wants_grad_call, [((torch.randn(3),), {})]


def swap_data(x):
    y = x + 1
    y.data = x * 3
    return y


def make_data_of_result():
    return swap_data, [((torch.randn(3),), {})]


class Refills(nn.Module):
    def fill(self, target, source):
        target.data = source

    def forward(self, x):
        buffer = torch.zeros(3)
        self.fill(buffer, x.detach() * 2)
        return buffer


def make_data_of_new_in_method():
    return Refills(), [((torch.randn(3),), {})]


def swap_input_data(x, y):
    x.data = y * 3
    return x + 1


def make_data_of_input():
    return swap_input_data, [((torch.randn(3), torch.randn(3)), {})]


def widen(x):
    x.data = x.double()
    return x + 1


def make_data_of_other_type():
    return widen, [((torch.randn(3),), {})]


class Narrows(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(3), requires_grad=False)

    def narrow(self):
        self.weight.data = self.weight.data.to(torch.bfloat16)

    def forward(self, x):
        y = x.relu()
        self.narrow()
        return y * self.weight


def make_data_of_parameter_narrowed():
    return Narrows(), [((torch.randn(3),), {})]


def set_real(z, x):
    z.real = x
    return z * 2


def make_real_set():
    return set_real, [((torch.randn(3, dtype=torch.complex64), torch.randn(3)), {})]


class Phases(nn.Module):
    def forward(self, x):
        z = torch.complex(x, x)
        z.imag = x * 2
        return z.abs()


def make_imag_set():
    return Phases(), [((torch.randn(3),), {})]


def set_own(x):
    y = x + 1
    y.label = "a"
    return y * len(y.label)


def make_own_attribute_set():
    return set_own, [((torch.randn(3),), {})]


# --- modules


class Restarts(nn.Module):
    def __init__(self, scale=2.0):
        super().__init__()
        self.scale = scale

    def reset(self):
        super().__init__()
        self.scale = 1.0

    def forward(self, x):
        y = x.relu()
        self.reset()
        return y * self.scale


def make_module_init_again():
    return Restarts(), [((torch.randn(3),), {})]


class Extends(nn.Linear):
    def reset(self):
        nn.Module.__init__(self)
        self.used = True

    def forward(self, x):
        y = super().forward(x)
        if not hasattr(self, "used"):
            self.again()
        return y

    def again(self):
        super(nn.Linear, self).__init__()
        self.used = True


def make_module_init_again_by_parent():
    return Extends(3, 3), [((torch.randn(2, 3),), {})]


class Fresh(nn.Module):
    def forward(self, x):
        y = x.relu()
        other = Scaled(3.0)
        return other(y)


class Scaled(nn.Module):
    def __init__(self, scale):
        super().__init__()
        self.scale = scale

    def forward(self, x):
        return x * self.scale


def make_module_init_of_new():
    return Fresh(), [((torch.randn(3),), {})]


# --- functions, partials, foreign containers


def store_dict_of_partial(fn, x):
    fn.__dict__ = {}
    return fn(x) * 2


class Bound(functools.partial):
    pass


def make_partial_dict_replaced():
    return store_dict_of_partial, [((Bound(torch.abs), torch.randn(3)), {})]


class Rows(dict):
    def __setitem__(self, key, value):
        dict.__setitem__(self, key, value)


def store_in_plain(x):
    table = {}
    Rows.__setitem__(table, "a", x)
    return table["a"] * 2


def make_setitem_of_class_on_dict():
    return store_in_plain, [((torch.randn(3),), {})]


class Writes:
    def __setattr__(self, name, value):
        object.__setattr__(self, name, value)


class Tags(nn.Module):
    def tag(self, fn):
        Writes.__setattr__(fn, "tag", 2)

    def forward(self, x):
        def step(y):
            return y + 1

        self.tag(step)
        return step(x) * 2


def make_setattr_of_class_on_function():
    return Tags(), [((torch.randn(3),), {})]


def store_in_rows(x):
    table = Rows()
    table["a"] = x
    return table["a"] * 2


def make_setitem_of_class_on_own():
    return store_in_rows, [((torch.randn(3),), {})]


# --- modules that are no modules

sys.modules["lazy_settings"] = Holder()
sys.modules["plain_settings"] = types.ModuleType("plain_settings")


def read_lazy(x):
    import lazy_settings

    return x * lazy_settings.scale


def make_import_of_object():
    return read_lazy, [((torch.randn(3),), {})]


class ReadsLazy(nn.Module):
    def scale(self):
        from lazy_settings import scale

        return scale

    def forward(self, x):
        y = x.relu()
        return y * self.scale()


def make_import_from_object():
    return ReadsLazy(), [((torch.randn(3),), {})]


def read_plain(x):
    import plain_settings

    return x * len(plain_settings.__name__)


def make_import_of_module_object():
    return read_plain, [((torch.randn(3),), {})]


# --- abstract classes, arrays, metaclasses


class Shape(abc.ABC):
    @abc.abstractmethod
    def area(self):
        """Square units."""


class Square(Shape):
    def area(self):
        return 4.0


def build_shape(x, kind):
    try:
        shape = kind()
    except TypeError:
        return x * 2
    return x * shape.area()


def make_abstract_of_user_built():
    return build_shape, [((torch.randn(3), Shape), {})]


class Areas(nn.Module):
    def build(self):
        return Shape()

    def forward(self, x):
        y = x.relu()
        try:
            return y * self.build().area()
        except TypeError:
            return y


def make_abstract_of_user_built_in_method():
    return Areas(), [((torch.randn(3),), {})]


def make_concrete_of_user_built():
    return build_shape, [((torch.randn(3), Square), {})]


def same_codes(x, a, b):
    return x * 2 if a == b else x


def make_arrays_equal():
    return same_codes, [((torch.randn(3), array.array("i", [1]), array.array("i", [1])), {})]


class Codes(nn.Module):
    def __init__(self):
        super().__init__()
        self.codes = array.array("i", [1, 2])

    def forward(self, x, codes):
        y = x.relu()
        if codes != self.codes:
            return y
        return y * 2


def make_arrays_differ_in_module():
    return Codes(), [((torch.randn(3), array.array("i", [1])), {})]


def make_lists_equal():
    return same_codes, [((torch.randn(3), [1], [1]), {})]


class Watched(type):
    def __getattribute__(cls, name):
        return super().__getattribute__(name)


class Kernel(metaclass=Watched):
    width = 3

    @classmethod
    def apply(cls, x):
        return x * cls.width


class Unwatched:
    width = 3

    @classmethod
    def apply(cls, x):
        return x * cls.width


def use_kernel(x, kind):
    return kind.apply(x)


def make_classmethod_of_watched():
    return use_kernel, [((torch.randn(3), Kernel), {})]


class UsesKernel(nn.Module):
    def forward(self, x):
        y = x.relu()
        return Kernel.apply(y) + 1


def make_classmethod_of_watched_in_module():
    return UsesKernel(), [((torch.randn(3),), {})]


def make_classmethod_of_unwatched():
    return use_kernel, [((torch.randn(3), Unwatched), {})]
