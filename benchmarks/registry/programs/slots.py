"""Operators and slots on values that are no tensors: + * [] in < - abs int float str."""

import array
import collections
import datetime
import decimal
import fractions
import itertools
import types

import numpy as np
import torch
from torch import nn


def add_pair(x, a, b):
    c = a + b
    return x * len(c)


def make_add_arrays():
    return add_pair, [((torch.randn(3), array.array("i", [1]), array.array("i", [2])), {})]


def make_add_lists():
    return add_pair, [((torch.randn(3), [1], [2]), {})]


def make_add_bytearrays():
    return add_pair, [((torch.randn(3), bytearray(b"a"), bytearray(b"b")), {})]


def make_add_deques():
    return add_pair, [((torch.randn(3), collections.deque([1]), collections.deque([2])), {})]


class Joined(nn.Module):
    def __init__(self, rows):
        super().__init__()
        self.rows = rows

    def forward(self, x):
        y = x.relu()
        both = self.rows + self.rows
        return y * len(both)


def make_add_bytes_of_module():
    return Joined(b"ab"), [((torch.randn(3),), {})]


def make_add_range():
    def run(x):
        try:
            both = range(2) + [1]
        except TypeError:
            return x * 2
        return x * len(both)

    return run, [((torch.randn(3),), {})]


def add_in_place(x, a, b):
    a += b
    return x * len(a)


def make_iadd_arrays():
    return add_in_place, [((torch.randn(3), array.array("i", [1]), array.array("i", [2])), {})]


def make_iadd_bytearrays():
    return add_in_place, [((torch.randn(3), bytearray(b"a"), bytearray(b"b")), {})]


def make_iadd_lists():
    return add_in_place, [((torch.randn(3), [1], [2]), {})]


def make_iadd_deques():
    return add_in_place, [((torch.randn(3), collections.deque([1]), collections.deque([2])), {})]


def repeat(x, a):
    b = a * 2
    return x * len(b)


def make_repeat_array():
    return repeat, [((torch.randn(3), array.array("i", [1])), {})]


def make_repeat_bytearray():
    return repeat, [((torch.randn(3), bytearray(b"a")), {})]


def make_repeat_list():
    return repeat, [((torch.randn(3), [1]), {})]


def make_repeat_deque():
    return repeat, [((torch.randn(3), collections.deque([1])), {})]


def repeat_in_place(x, a):
    a *= 2
    return x * len(a)


def make_irepeat_array():
    return repeat_in_place, [((torch.randn(3), array.array("i", [1])), {})]


def make_irepeat_deque():
    return repeat_in_place, [((torch.randn(3), collections.deque([1])), {})]


def make_irepeat_list():
    return repeat_in_place, [((torch.randn(3), [1]), {})]


def item(x, a):
    return x * a[0]


def make_item_array():
    return item, [((torch.randn(3), array.array("i", [1])), {})]


def make_item_bytearray():
    return item, [((torch.randn(3), bytearray(b"a")), {})]


def make_item_memoryview():
    return item, [((torch.randn(3), memoryview(b"ab")), {})]


def make_item_bytes():
    return item, [((torch.randn(3), b"ab"), {})]


def make_item_deque():
    return item, [((torch.randn(3), collections.deque([1])), {})]


def store(x, a):
    a[0] = 2
    return x * 2


def make_store_array():
    return store, [((torch.randn(3), array.array("i", [1])), {})]


def make_store_bytearray():
    return store, [((torch.randn(3), bytearray(b"a")), {})]


def make_store_deque():
    return store, [((torch.randn(3), collections.deque([1])), {})]


def make_store_list():
    return store, [((torch.randn(3), [1]), {})]


class Slots(nn.Module):
    def __init__(self, rows):
        super().__init__()
        self.rows = rows

    def forward(self, x):
        y = x.relu()
        self.rows[0] = 3
        return y


def make_store_array_of_module():
    return Slots(array.array("i", [1])), [((torch.randn(3),), {})]


def contains(x, a):
    return x * 2 if 1 in a else x


def make_in_array():
    return contains, [((torch.randn(3), array.array("i", [1])), {})]


def make_in_bytearray():
    return contains, [((torch.randn(3), bytearray(b"a")), {})]


def make_in_deque():
    return contains, [((torch.randn(3), collections.deque([1])), {})]


def make_in_range():
    return contains, [((torch.randn(3), range(3)), {})]


def make_in_values():
    return lambda x, d: contains(x, d.values()), [((torch.randn(3), {"a": 1}), {})]


def make_in_items():
    return lambda x, d: x * 2 if ("a", 1) in d.items() else x, [((torch.randn(3), {"a": 1}), {})]


def make_in_mapping_proxy():
    return contains, [((torch.randn(3), types.MappingProxyType({1: 2})), {})]


def make_in_iterator():
    return lambda x: contains(x, iter([1, 2])), [((torch.randn(3),), {})]


def make_in_count():
    return lambda x: contains(x, itertools.count()), [((torch.randn(3),), {})]


def iterate(x, a):
    for value in a:
        x = x + value
    return x


def make_for_array():
    return iterate, [((torch.randn(3), array.array("i", [1])), {})]


def make_for_memoryview():
    return iterate, [((torch.randn(3), memoryview(b"ab")), {})]


def make_for_bytes():
    return iterate, [((torch.randn(3), b"ab"), {})]


def make_for_deque():
    return iterate, [((torch.randn(3), collections.deque([1])), {})]


def make_for_iterator_given():
    return iterate, [((torch.randn(3), iter([1, 2])), {})]


def make_for_zip_given():
    return lambda x, z: iterate(x, (a for a, b in z)), [((torch.randn(3), zip([1], [2])), {})]


def make_for_reversed_given():
    return iterate, [((torch.randn(3), reversed([1, 2])), {})]


def take_next(x, rows):
    return x * next(rows)


def make_next_of_generator_given():
    return take_next, [((torch.randn(3), (n for n in [1, 2])), {})]


def make_next_of_iterator_given():
    return take_next, [((torch.randn(3), iter([1, 2])), {})]


def make_next_of_iterator_made():
    return lambda x: take_next(x, iter([1, 2])), [((torch.randn(3),), {})]


def make_next_of_chain_given():
    return take_next, [((torch.randn(3), itertools.chain([1], [2])), {})]


class Feeds(nn.Module):
    def __init__(self):
        super().__init__()
        self.rows = map(abs, [-1, -2, -3])

    def forward(self, x):
        y = x.relu()
        return y * next(self.rows)


def make_next_of_map_of_module():
    return Feeds(), [((torch.randn(3),), {})]


def negative(x, a):
    return x * float(-a)


def make_neg_decimal():
    return negative, [((torch.randn(3), decimal.Decimal(2)), {})]


def make_neg_fraction():
    return negative, [((torch.randn(3), fractions.Fraction(1, 2)), {})]


def make_neg_float():
    return negative, [((torch.randn(3), 2.0), {})]


def positive(x, a):
    return x * float(+a)


def make_pos_decimal():
    return positive, [((torch.randn(3), decimal.Decimal(2)), {})]


def make_pos_float():
    return positive, [((torch.randn(3), 2.0), {})]


def absolute(x, a):
    return x * float(abs(a))


def make_abs_decimal():
    return absolute, [((torch.randn(3), decimal.Decimal(2)), {})]


def make_abs_int():
    return absolute, [((torch.randn(3), -2), {})]


def absolute_delta(x, a):
    return x * abs(a).days


def make_abs_timedelta():
    return absolute_delta, [((torch.randn(3), datetime.timedelta(3)), {})]


def negative_delta(x, a):
    return x * (-a).days


def make_neg_timedelta():
    return negative_delta, [((torch.randn(3), datetime.timedelta(3)), {})]


def positive_delta(x, a):
    return x * (+a).days


def make_pos_timedelta():
    return positive_delta, [((torch.randn(3), datetime.timedelta(3)), {})]


class Counts(nn.Module):
    def __init__(self):
        super().__init__()
        self.counts = collections.Counter(a=1)

    def forward(self, x):
        y = x.relu()
        return y * len(+self.counts) + len(-self.counts)


def make_pos_counter():
    return Counts(), [((torch.randn(3),), {})]


def as_int(x, a):
    return x * int(a)


def make_int_of_decimal():
    return as_int, [((torch.randn(3), decimal.Decimal(2)), {})]


def make_int_of_fraction():
    return as_int, [((torch.randn(3), fractions.Fraction(4, 2)), {})]


def make_int_of_float():
    return as_int, [((torch.randn(3), 2.5), {})]


def make_int_of_numpy():
    return as_int, [((torch.randn(3), np.int64(2)), {})]


def as_float(x, a):
    return x * float(a)


def make_float_of_decimal():
    return as_float, [((torch.randn(3), decimal.Decimal(2)), {})]


def make_float_of_fraction():
    return as_float, [((torch.randn(3), fractions.Fraction(4, 2)), {})]


def make_float_of_text():
    return as_float, [((torch.randn(3), "2.5"), {})]


def make_float_of_numpy():
    return as_float, [((torch.randn(3), np.float64(2)), {})]


def arithmetic(x, a, b):
    return x * float(a - b)


def make_sub_decimals():
    return arithmetic, [((torch.randn(3), decimal.Decimal(2), decimal.Decimal(1)), {})]


def make_sub_fractions():
    return arithmetic, [((torch.randn(3), fractions.Fraction(2), fractions.Fraction(1)), {})]


def make_sub_numbers():
    return arithmetic, [((torch.randn(3), 2, 1), {})]


def shift(x, a, b):
    return x * (a << b)


def make_shift_numbers():
    return shift, [((torch.randn(3), 2, 1), {})]


def later(x, start, step):
    return x * (start + step).day


def make_add_dates():
    return later, [((torch.randn(3), datetime.date(2024, 1, 1), datetime.timedelta(1)), {})]


def union(x, a, b):
    return x * len(a | b)


def make_or_sets():
    return union, [((torch.randn(3), {1}, {2}), {})]


def make_or_counters():
    return union, [((torch.randn(3), collections.Counter("a"), collections.Counter("b")), {})]


def make_or_keys():
    return lambda x, a, b: union(x, a.keys(), b.keys()), [((torch.randn(3), {"a": 1}, {"b": 1}), {})]


def make_or_proxies():
    proxy = types.MappingProxyType({"a": 1})
    return union, [((torch.randn(3), proxy, proxy), {})]
