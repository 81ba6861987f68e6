"""Calls into torch's own helpers, and objects registered as opaque."""

import torch
from torch import nn
from torch._library import opaque_object
from torch._library.opaque_object import MemberType, register_opaque_type
from torch._prims_common import ELEMENTWISE_TYPE_PROMOTION_KIND, elementwise_dtypes
from torch.fx.experimental.symbolic_shapes import guard_scalar
from torch.overrides import _pop_mode


def x3():
    return torch.randn(3)


def promoted(x):
    try:
        elementwise_dtypes(x, [x], type_promotion_kind=ELEMENTWISE_TYPE_PROMOTION_KIND.DEFAULT)
    except ValueError:
        return x * 2
    return x


def make_promoted_with_list():
    return promoted, [((x3(),), {})]


class Promotes(nn.Module):
    def kind(self, x, other):
        try:
            _, result = elementwise_dtypes(x, other, type_promotion_kind=ELEMENTWISE_TYPE_PROMOTION_KIND.INT_TO_FLOAT)
        except ValueError:
            result = torch.float64
        return result

    def forward(self, x, other):
        return x.to(self.kind(x, other))


def make_promotes_dict():
    return Promotes(), [((x3(), {"a": x3()}), {})]


def make_promotes_number():
    return Promotes(), [((x3(), 2.0), {})]


def specialised(x, count):
    try:
        guard_scalar(count)
    except AssertionError:
        return x * 2
    return x + 1


def make_specialised_tensor():
    return specialised, [((x3(), torch.tensor(3)), {})]


def make_specialised_number():
    return specialised, [((x3(), 3), {})]


class Specialises(nn.Module):
    def known(self, value):
        try:
            return guard_scalar(value)
        except AssertionError:
            return 1

    def forward(self, x):
        return x * self.known(x.mean())


def make_specialises_tensor():
    return Specialises(), [((x3(),), {})]


def without_modes(x):
    try:
        _pop_mode()
    except RuntimeError:
        return x * 2
    return x


def make_no_mode_to_leave():
    return without_modes, [((x3(),), {})]


class Leaves(nn.Module):
    def leave(self):
        try:
            return torch._C._pop_torch_function_stack()
        except RuntimeError:
            return None

    def forward(self, x):
        return x + 1 if self.leave() is None else x


def make_layer_leaves_mode():
    return Leaves(), [((x3(),), {})]


def counts_modes(x):
    return x * (1 + torch._C._len_torch_function_stack())


def make_counts_modes():
    return counts_modes, [((x3(),), {})]


Opaque = getattr(opaque_object, "OpaqueBase", None) or opaque_object.CustomClassBase


class Counter(Opaque):
    limit = 5

    def __init__(self, start):
        self.start = start
        self.step = 1

    def value(self):
        return self.start

    def again(self):
        return Counter(self.start)


register_opaque_type(
    Counter, typ="reference", members={"start": MemberType.USE_REAL, "again": MemberType.USE_REAL}
)


def scaled(x, counter):
    return x * counter.step


def make_step_of_counter():
    return scaled, [((x3(), Counter(2)), {})]


class Scales(nn.Module):
    def __init__(self, counter):
        super().__init__()
        self.counter = counter

    def factor(self):
        return self.counter.value()

    def forward(self, x):
        return x * self.factor()


def make_value_of_counter():
    return Scales(Counter(3)), [((x3(),), {})]


def started(x, counter):
    return x * counter.start


def make_start_of_counter():
    return started, [((x3(), Counter(2)), {})]


def restarted(x, counter):
    return x * counter.again().start


def make_counter_again():
    return restarted, [((x3(), Counter(2)), {})]


class Restarts(nn.Module):
    def __init__(self):
        super().__init__()
        self.counter = Counter(4)

    def fresh(self):
        return self.counter.again()

    def forward(self, x):
        other = self.fresh()
        return x + other.start


def make_layer_restarts():
    return Restarts(), [((x3(),), {})]


def named_limit(x):
    try:
        most = Counter.most
    except AttributeError:
        most = 2
    return x * most


def make_missing_on_counter_class():
    return named_limit, [((x3(),), {})]


class Limits(nn.Module):
    def limit(self):
        try:
            return Counter.most
        except AttributeError:
            return 3

    def forward(self, x):
        return x * self.limit()


def make_layer_missing_on_class():
    return Limits(), [((x3(),), {})]


def known_limit(x):
    return x * Counter.limit


def make_limit_of_counter_class():
    return known_limit, [((x3(),), {})]


class Scaled:
    def __get__(self, instance, owner=None):
        return 4


class Gauge(Opaque):
    scale = Scaled()

    def __getattr__(self, name):
        raise AttributeError(name)

    def read(self):
        return 3


register_opaque_type(Gauge, typ="reference", members={"read": MemberType.USE_REAL})


def gauge_scale(x):
    return x * Gauge.scale


def make_gauge_scale():
    return gauge_scale, [((x3(),), {})]


class Gauges(nn.Module):
    def __init__(self):
        super().__init__()
        self.kind = Gauge

    def forward(self, x):
        return x + self.kind.scale


def make_layer_gauge_scale():
    return Gauges(), [((x3(),), {})]


def gauge_read(x, gauge):
    return x * gauge.read()


def make_gauge_read():
    return gauge_read, [((x3(), Gauge()), {})]


class Reads(nn.Module):
    def __init__(self):
        super().__init__()
        self.gauge = Gauge()

    def value(self):
        return self.gauge.read()

    def forward(self, x):
        return x + self.value()


def make_layer_gauge_read():
    return Reads(), [((x3(),), {})]
