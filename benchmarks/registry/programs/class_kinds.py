"""Attribute look-up, metaclasses, records and inheritance."""

import collections
import contextlib
import threading
from dataclasses import dataclass, fields
from typing import TypedDict

import torch
from torch import nn

# --- __getattr__ that is no plain function


class Forward:
    def __init__(self, target):
        self.target = target

    def __call__(self, owner, name):
        return 2.0


class ByPartial:
    pass


class Lookup:
    def __get__(self, owner, kind):
        return lambda name: 3.0


class WithDescriptor:
    __getattr__ = Lookup()


def read_missing(x, thing):
    return x * thing.gain


def make_getattr_descriptor():
    return read_missing, [((torch.randn(3), WithDescriptor()), {})]


class WithBuiltin(dict):
    __getattr__ = dict.__getitem__


def make_getattr_dict_item():
    return read_missing, [((torch.randn(3), WithBuiltin(gain=2.0)), {})]


class WithFunction:
    def __getattr__(self, name):
        return 2.0


def make_getattr_function():
    return read_missing, [((torch.randn(3), WithFunction()), {})]


class Config(nn.Module):
    def __init__(self, options):
        super().__init__()
        self.options = options

    def forward(self, x):
        return x.exp() * self.options.gain


def make_getattr_dict_get():
    class Options(dict):
        __getattr__ = dict.get
        __setattr__ = dict.__setitem__

    return Config(Options(gain=2.0)), [((torch.randn(3),), {})]


# --- metaclasses


class Tracing(type):
    def __getattribute__(cls, name):
        return super().__getattribute__(name)


class Traced(metaclass=Tracing):
    scale = 2.0


class Plain:
    scale = 2.0


def class_scale(x, kind):
    return x * kind.scale


def make_metaclass_getattribute():
    return class_scale, [((torch.randn(3), Traced), {})]


class UsesTraced(nn.Module):
    def forward(self, x):
        y = x + 1
        return y * Traced.scale


def make_metaclass_getattribute_global():
    return UsesTraced(), [((torch.randn(3),), {})]


def make_metaclass_none():
    return class_scale, [((torch.randn(3), Plain), {})]


# --- typed dictionaries, dataclasses, named tuples


class Full(TypedDict):
    scale: float
    shift: float


class Partial(TypedDict, total=False):
    scale: float
    shift: float


def build_partial(x):
    options = Partial(scale=2.0)
    return x * options["scale"]


def build_full(x):
    options = Full(scale=2.0, shift=1.0)
    return x * options["scale"] + options["shift"]


def make_typed_dict_partial():
    return build_partial, [((torch.randn(3),), {})]


class Optioned(nn.Module):
    def defaults(self):
        return Partial(scale=3.0, shift=0.0)

    def forward(self, x):
        y = x.relu()
        return y * self.defaults()["scale"]


def make_typed_dict_partial_in_method():
    return Optioned(), [((torch.randn(3),), {})]


def make_typed_dict_full():
    return build_full, [((torch.randn(3),), {})]


@dataclass
class Pair:
    a: float
    b: float


def field_count(x, pair):
    return x * len(fields(pair))


def make_dataclass_fields():
    return field_count, [((torch.randn(3), Pair(1.0, 2.0)), {})]


def field_count_of_class(x):
    return x * len(fields(Pair))


def make_dataclass_fields_of_class():
    return field_count_of_class, [((torch.randn(3),), {})]


class FieldSum(nn.Module):
    kind = Pair

    def forward(self, x):
        y = x.sin()
        names = [f.name for f in fields(self.kind)]
        return y + len(names)


def make_dataclass_fields_of_class_attribute():
    return FieldSum(), [((torch.randn(3),), {})]


def tuple_class(x):
    Point = collections.namedtuple("Point", ["a", "b"])
    point = Point(x, x + 1)
    return point.a + point.b


def make_namedtuple_made():
    return tuple_class, [((torch.randn(3),), {})]


def tuple_class_of(x, names):
    Point = collections.namedtuple("Point", names, defaults=[x])
    return Point(x).a


def make_namedtuple_default_tensor():
    return tuple_class_of, [((torch.randn(3), ["a", "b"]), {})]


class Records(nn.Module):
    def record(self, *values):
        kind = collections.namedtuple("Record", "first second", defaults=values)
        return kind()

    def forward(self, x):
        y = x.abs()
        return self.record(y, y * 2).second


def make_namedtuple_default_in_method():
    return Records(), [((torch.randn(3),), {})]


# --- classes that refuse to be built


class Abstract(contextlib.AbstractContextManager):
    pass


def build_abstract(x):
    try:
        Abstract()
    except TypeError:
        return x * 2
    return x


def make_abstract_built():
    return build_abstract, [((torch.randn(3),), {})]


class Base(nn.Module):
    def build(self):
        return Abstract()

    def forward(self, x):
        y = x.relu()
        try:
            self.build()
        except TypeError:
            return y + 1
        return y


def make_abstract_built_in_method():
    return Base(), [((torch.randn(3),), {})]


class Concrete(contextlib.AbstractContextManager):
    def __exit__(self, *error):
        return None


def build_concrete(x):
    with Concrete():
        return x * 2


def make_concrete_built():
    return build_concrete, [((torch.randn(3),), {})]


# --- super()


class Parent:
    gain = 2.0

    def scaled(self, x):
        return x * self.gain


class Child(Parent):
    def scaled(self, x):
        return super().scaled(x) + super().gain


def run_child(child, x):
    return child.scaled(x)


def make_super_attribute_number():
    return run_child, [((Child(), torch.randn(3)), {})]


class Orphan(Parent):
    def scaled(self, x):
        return super().missing(x)


class OrphanCaught(Parent):
    def scaled(self, x):
        try:
            return super().missing(x)
        except AttributeError:
            return x


def make_super_missing():
    return run_child, [((OrphanCaught(), torch.randn(3)), {})]


class OldStyle(Parent):
    def scaled(self, x):
        return super(OldStyle, self).scaled(x)


def make_super_two_arguments():
    return run_child, [((OldStyle(), torch.randn(3)), {})]


class Unbound(Parent):
    def scaled(self, x):
        try:
            return super(Unbound).scaled(x)
        except AttributeError:
            return x


def make_super_one_argument():
    return run_child, [((Unbound(), torch.randn(3)), {})]


class UnboundModule(nn.Linear):
    def forward(self, x):
        y = super(UnboundModule, self).forward(x)
        parent = super(UnboundModule)
        return y if hasattr(parent, "forward") else y + 1


def make_super_one_argument_hasattr():
    return UnboundModule(3, 3), [((torch.randn(2, 3),), {})]


class Callable:
    def __call__(self, x):
        return x * 3


class WithObject(Parent):
    helper = Callable()
    limit = 3


class UsesHelper(WithObject):
    def scaled(self, x):
        return super().helper(x)


def make_super_callable_object():
    return run_child, [((UsesHelper(), torch.randn(3)), {})]


class Measured(list):
    def append(self, item):
        super().append(item)


def collect(x):
    out = Measured()
    out.append(x)
    out.append(x + 1)
    return torch.stack(list(out))


def make_super_list_append():
    return collect, [((torch.randn(3),), {})]


class Local(threading.local):
    scale = 2.0


STATE = Local()


def thread_scale(x):
    return x * STATE.scale


def make_thread_local_read():
    return thread_scale, [((torch.randn(3),), {})]
