"""Functions that the tracer takes as they are: `nonstrict_trace`, leaf functions, in-graph functions."""

import torch
import torch.utils._pytree as pytree
from torch import nn


def x3():
    return torch.randn(3)


class Point:
    def __init__(self, x, y):
        self.x = x
        self.y = y


@torch._dynamo.nonstrict_trace
def norm_of(point):
    return (point.x * point.x + point.y * point.y).sqrt()


def distance(point):
    return norm_of(point) * 2


def make_distance_of_object():
    return distance, [((Point(x3(), x3()),), {})]


class Distance(nn.Module):
    def forward(self, x, y):
        return norm_of(Point(x, y)) + 1


def make_distance_layer():
    return Distance(), [((x3(), x3()), {})]


@torch._dynamo.nonstrict_trace
def norm_of_pair(pair):
    return (pair[0] * pair[0] + pair[1] * pair[1]).sqrt()


def distance_of_pair(x, y):
    return norm_of_pair((x, y)) * 2


def make_distance_of_pair():
    return distance_of_pair, [((x3(), x3()), {})]


class Options:
    def __init__(self, scale):
        self.scale = scale

    def __eq__(self, other):
        return isinstance(other, Options) and self.scale == other.scale

    def __hash__(self):
        return hash(self.scale)


pytree.register_constant(Options)


@torch._dynamo.nonstrict_trace
def scaled(x, options):
    return x * options.scale


def scaled_here(x):
    return scaled(x, Options(3)) + 1


def make_options_made_here():
    return scaled_here, [((x3(),), {})]


class Scales(nn.Module):
    def __init__(self):
        super().__init__()
        self.factor = 2

    def options(self):
        return Options(self.factor)

    def forward(self, x):
        return scaled(x, self.options())


def make_scales_by_options():
    return Scales(), [((x3(),), {})]


def scaled_given(x, options):
    return scaled(x, options) + 1


def make_options_given():
    return scaled_given, [((x3(), Options(3)), {})]


class Named:
    def __init__(self, value, label):
        self.value = value
        self.label = label


class Label:
    def __init__(self, text):
        self.text = text


pytree.register_pytree_node(
    Named,
    lambda named: ((named.value,), named.label),
    lambda values, label: Named(values[0], label),
)


@torch._dynamo.nonstrict_trace
def doubled(named):
    return named.value * 2


def doubled_named(x, label):
    return doubled(Named(x, label)) + 1


def make_named_by_object():
    return doubled_named, [((x3(), Label("a")), {})]


class Doubles(nn.Module):
    def __init__(self, label):
        super().__init__()
        self.label = label

    def forward(self, x):
        return doubled(Named(x, self.label))


def make_layer_named_by_object():
    return Doubles(Label("b")), [((x3(),), {})]


def make_layer_named_by_text():
    return Doubles("b"), [((x3(),), {})]


@torch._dynamo.nonstrict_trace
def split(x):
    return Point(x * 2, x * 3)


def joined(x):
    p = split(x)
    return p.x + p.y


def make_result_object():
    return joined, [((x3(),), {})]


@torch._dynamo.nonstrict_trace
def described(x):
    return {"value": x * 2, "label": Label("c")}


class Describes(nn.Module):
    def forward(self, x):
        return described(x)["value"] + 1


def make_result_with_label():
    return Describes(), [((x3(),), {})]


@torch._dynamo.nonstrict_trace
def split_pair(x):
    return x * 2, x * 3


def joined_pair(x):
    a, b = split_pair(x)
    return a + b


def make_result_pair():
    return joined_pair, [((x3(),), {})]
