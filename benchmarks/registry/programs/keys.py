"""Deques, sets and what may be a key."""

import collections

import torch
from torch import nn

# --- deques

RECENT = collections.deque(maxlen=2)
ALL = collections.deque()


def remember(x):
    RECENT.append(x.shape[0])
    return x * 2


def make_deque_limited_append():
    return remember, [((torch.randn(3),), {})]


class History(nn.Module):
    def __init__(self, limit):
        super().__init__()
        self.rows = collections.deque([0], maxlen=limit)

    def keep(self, value):
        self.rows.appendleft(value)

    def forward(self, x):
        y = x.relu()
        self.keep(y.dim())
        return y


def make_deque_limited_of_module():
    return History(3), [((torch.randn(3),), {})]


def make_deque_unlimited_of_module():
    return History(None), [((torch.randn(3),), {})]


def remember_all(x):
    ALL.append(x.shape[0])
    return x * 2


def make_deque_unlimited_append():
    return remember_all, [((torch.randn(3),), {})]


def deque_three(x, *rest):
    try:
        rows = collections.deque([x], 2, *rest)
    except TypeError:
        return x * 2
    return rows[0]


def make_deque_three_arguments():
    return deque_three, [((torch.randn(3), 3), {})]


def make_deque_two_arguments():
    return deque_three, [((torch.randn(3),), {})]


class Buffered(nn.Module):
    def forward(self, x):
        y = x.exp()
        try:
            rows = collections.deque([y], size=3)
        except TypeError:
            rows = [y]
        return rows[0]


def make_deque_unknown_keyword():
    return Buffered(), [((torch.randn(3),), {})]


# --- sets and keys


def set_given(x, chosen):
    return x * len(chosen)


def make_set_of_tensors_given():
    return set_given, [((torch.randn(3), {torch.ones(1), torch.zeros(1)}), {})]


class ChosenSet(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(3))
        self.skipped = {self.weight}

    def forward(self, x):
        if self.weight in self.skipped:
            return x * 2
        return x * self.weight


def make_set_of_parameters_held():
    return ChosenSet(), [((torch.randn(3),), {})]


def make_set_of_numbers_given():
    return set_given, [((torch.randn(3), {1, 2}), {})]


class Unhashed:
    __hash__ = None

    def __eq__(self, other):
        return True


def unhashable_element(x, items):
    try:
        chosen = {items}
    except TypeError:
        return x * 2
    return x * len(chosen)


def make_set_of_list():
    return unhashable_element, [((torch.randn(3), [1]), {})]


def make_set_of_unhashed():
    return unhashable_element, [((torch.randn(3), Unhashed()), {})]


def make_set_of_slice():
    return unhashable_element, [((torch.randn(3), slice(0, 1)), {})]


def make_set_of_tuple_with_list():
    return unhashable_element, [((torch.randn(3), (1, [2])), {})]


def make_set_of_tuple():
    return unhashable_element, [((torch.randn(3), (1, 2)), {})]


class Memo(nn.Module):
    def forward(self, x, sizes):
        table = {}
        try:
            table[(sizes, "a")] = x
        except TypeError:
            return x + 1
        return table[(sizes, "a")]


def make_key_of_tuple_with_list():
    return Memo(), [((torch.randn(3), [1]), {})]


def key_iterator(x):
    rows = iter([1, 2])
    table = {rows: 2.0}
    return x * table[rows]


def make_key_of_iterator():
    return key_iterator, [((torch.randn(3),), {})]


def key_bound(x):
    table = {x.sum: 2.0}
    return x * len(table)


def make_key_of_tensor_method():
    return key_bound, [((torch.randn(3),), {})]


class KeyedBy(nn.Module):
    def forward(self, x, names):
        y = x.relu()
        chosen = {names.append, names.pop}
        return y * len(chosen)


def make_set_of_list_methods():
    return KeyedBy(), [((torch.randn(3), ["a"]), {})]


def same_method(x, y):
    return x * 2 if x.sum == y.sum else x


def make_tensor_methods_compared():
    return same_method, [((torch.randn(3), torch.randn(3)), {})]


class SameAppend(nn.Module):
    def forward(self, x, a, b):
        y = x.relu()
        if a.append != b.append:
            return y * 2
        return y


def make_list_methods_compared():
    return SameAppend(), [((torch.randn(3), [1], [2]), {})]


def bound_compared(x, options):
    return x * 2 if options.get == options.get else x


def make_dict_methods_compared():
    return bound_compared, [((torch.randn(3), {"a": 1}), {})]


# --- kinds as keys


def by_kind(x, kind):
    table = {kind: 2.0}
    return x * table[kind]


def make_key_of_generic_alias():
    return by_kind, [((torch.randn(3), list[int]), {})]


class Converters(nn.Module):
    def __init__(self, kind):
        super().__init__()
        self.kind = kind

    def chosen(self, kinds):
        return self.kind in {*kinds}

    def forward(self, x):
        y = x.relu()
        return y * 2 if self.chosen([self.kind]) else y


def make_set_of_generic_alias_in_method():
    return Converters(dict[str, int]), [((torch.randn(3),), {})]


def make_key_of_class():
    return by_kind, [((torch.randn(3), list), {})]
