"""Identities and addresses of what a function makes: id, data_ptr, hasattr and equality."""

import contextlib
import re

import numpy as np
import torch
from torch import nn


class Token:
    pass


# --- numbers made of ids


def id_as_int(x):
    token = Token()
    return x * (int(id(token)) > 0)


def make_id_as_int():
    return id_as_int, [((torch.randn(3),), {})]


class Aligned(nn.Module):
    def aligned(self, y):
        return int(y.data_ptr()) % 4 == 0

    def forward(self, x):
        y = x.relu()
        return y * 2 if self.aligned(y) else y


def make_address_as_int():
    return Aligned(), [((torch.randn(3),), {})]


def id_as_float(x):
    rows = [x]
    return x * (float(id(rows)) > 0)


def make_id_as_float():
    return id_as_float, [((torch.randn(3),), {})]


class Seeds(nn.Module):
    def seed(self, thing):
        return float(id(thing))

    def forward(self, x):
        y = x.relu()
        return y if self.seed({}) else y * 2


def make_id_as_float_in_method():
    return Seeds(), [((torch.randn(3),), {})]


def id_negated(x):
    return x * (1 if -id([x]) else 2)


def make_id_negated():
    return id_negated, [((torch.randn(3),), {})]


class Orders(nn.Module):
    def rank(self, thing):
        return -id(thing)

    def forward(self, x):
        y = x.relu()
        key = self.rank(Token())
        return y * 2 if key else y


def make_id_negated_in_method():
    return Orders(), [((torch.randn(3),), {})]


def id_plus(x):
    return x * (1 if +id([x]) else 2)


def make_id_plus():
    return id_plus, [((torch.randn(3),), {})]


class Positive(nn.Module):
    def forward(self, x):
        y = x.relu()
        for thing in (Token(), Token()):
            y = y * (1 if +id(thing) else 0)
        return y


def make_id_plus_in_loop():
    return Positive(), [((torch.randn(3),), {})]


def id_absolute(x):
    return x * (1 if abs(id([x])) else 2)


def make_id_absolute():
    return id_absolute, [((torch.randn(3),), {})]


class Distances(nn.Module):
    def size(self, thing):
        return abs(id(thing))

    def forward(self, x):
        y = x.relu()
        return y if self.size(Token()) else y * 2


def make_id_absolute_in_method():
    return Distances(), [((torch.randn(3),), {})]


def id_of_argument(x, token):
    return x * (1 if int(id(token)) > 0 and -id(token) < 0 and abs(id(token)) and float(id(token)) else 2)


def make_id_of_argument():
    return id_of_argument, [((torch.randn(3), Token()), {})]


def id_named(x):
    name = repr(id([x]))
    return x * (len(name) > 0)


def make_id_shown():
    return id_named, [((torch.randn(3),), {})]


class Bounds(nn.Module):
    def forward(self, x):
        y = x.relu()
        if id(Token()) > 0:
            return y * 2
        return y


def make_id_against_zero():
    return Bounds(), [((torch.randn(3),), {})]


# --- asking for attributes


def asks_id(x):
    return x * 2 if hasattr(id([x]), "bit_length") else x


def make_hasattr_of_id():
    return asks_id, [((torch.randn(3),), {})]


class Duck(nn.Module):
    def has_cache(self, fn):
        return hasattr(fn, "cache_info")

    def forward(self, x):
        y = x.relu()
        return y * 2 if self.has_cache(y.sum) else y


def make_hasattr_of_tensor_method():
    return Duck(), [((torch.randn(3),), {})]


def asks_slice(x, part):
    return x[part] * 2 if hasattr(part, "shape") else x[part]


def make_hasattr_of_slice():
    return asks_slice, [((torch.randn(3), slice(0, 2)), {})]


def asks_numpy(x):
    return x * 2 if hasattr(np.sum, "reduce") else x + 1


def make_hasattr_of_numpy_function():
    return asks_numpy, [((torch.randn(3),), {})]


PATTERN = re.compile("a")


def asks_pattern(x):
    return x * 2 if hasattr(PATTERN, "fullmatch") else x + 1


def make_hasattr_of_pattern():
    return asks_pattern, [((torch.randn(3),), {})]


def asks_list(x, rows):
    return x * 2 if hasattr(rows, "shape") else x + len(rows)


def make_hasattr_of_list():
    return asks_list, [((torch.randn(3), [1]), {})]


def make_hasattr_of_tensor():
    return asks_list, [((torch.randn(3), torch.randn(3)), {})]


# --- equality of things without a value


def squares(n):
    for i in range(n):
        yield i * i


def same_stream(x):
    a, b = squares(2), squares(2)
    return x * 2 if a == b else x + 1


def make_generators_equal():
    return same_stream, [((torch.randn(3),), {})]


class Compares(nn.Module):
    def same(self, a, b):
        return a == b

    def forward(self, x):
        y = x.relu()
        if self.same(np.add, np.add):
            return y * 2
        return y


def make_numpy_functions_equal():
    return Compares(), [((torch.randn(3),), {})]


def stream_or_none(x, use):
    rows = squares(3) if use else None
    if rows == None:  # noqa: E711
        return x
    return x + sum(rows)


def make_generator_equals_none():
    return stream_or_none, [((torch.randn(3), True), {})]


def stream_is_none(x, use):
    rows = squares(3) if use else None
    if rows is None:
        return x
    return x + sum(rows)


def make_generator_is_none():
    return stream_is_none, [((torch.randn(3), True), {})]


def errors_equal(x):
    a, b = ValueError("a"), ValueError("a")
    return x * 2 if a == b else x + 1


def make_exceptions_equal():
    return errors_equal, [((torch.randn(3),), {})]


class Modes(nn.Module):
    def pick(self, x):
        return contextlib.nullcontext() == contextlib.nullcontext()

    def forward(self, x):
        y = x.relu()
        return y * 2 if self.pick(y) else y


def make_nullcontexts_equal():
    return Modes(), [((torch.randn(3),), {})]


def values_equal(x, a, b):
    return x * 2 if a.values() == b.values() else x + 1


def make_dict_values_equal():
    return values_equal, [((torch.randn(3), {"a": 1}, {"a": 1}), {})]


def items_equal(x, a, b):
    return x * 2 if a.items() == b.items() else x + 1


def make_dict_items_equal():
    return items_equal, [((torch.randn(3), {"a": 1}, {"a": 1}), {})]


def zips_differ(x):
    a, b = zip([1], [2]), zip([1], [2])
    return x * 2 if a != b else x + 1


def make_zips_differ():
    return zips_differ, [((torch.randn(3),), {})]


def iterators_equal(x):
    a, b = iter([1]), iter([1])
    return x * 2 if a == b else x + 1


def make_list_iterators_equal():
    return iterators_equal, [((torch.randn(3),), {})]


def tokens_equal(x):
    a, b = Token(), Token()
    return x * 2 if a == b else x + 1


def make_tokens_equal():
    return tokens_equal, [((torch.randn(3),), {})]


# --- bound methods of tensors


class Chooses(nn.Module):
    def forward(self, x):
        y = x.relu()
        steps = [y.sum, y.mean]
        if y.sum in steps:
            return y.sum()
        return y


def make_tensor_method_in_list():
    return Chooses(), [((torch.randn(3),), {})]


class Counts(nn.Module):
    def table(self, y):
        return {y.sum: "sum", y.mean: "mean"}

    def forward(self, x):
        y = x.relu()
        return y * len(self.table(y))


def make_tensor_methods_as_keys():
    return Counts(), [((torch.randn(3),), {})]


def named_steps(x, name):
    steps = {"sum": x.sum, "mean": x.mean}
    return steps[name]()


def make_tensor_methods_as_values():
    return named_steps, [((torch.randn(3), "sum"), {})]
