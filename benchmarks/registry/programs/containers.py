"""Lists, dictionaries, sets, deques, slices and sizes: holding and finding values."""

import collections
import types

import torch
from torch import nn

# --- dictionaries


class Table(dict):
    pass


def keys_of_subclass(x, names):
    table = Table.fromkeys(names, 2.0)
    return x * table[names[0]]


def make_fromkeys_of_subclass():
    return keys_of_subclass, [((torch.randn(3), ["a", "b"]), {})]


class Keyed(nn.Module):
    kind = Table

    def blank(self, names):
        return self.kind.fromkeys(names, 0.0)

    def forward(self, x, names):
        y = x.relu()
        return y + len(self.blank(names))


def make_fromkeys_in_method():
    return Keyed(), [((torch.randn(3), ["a", "b"]), {})]


def keys_of_dict(x, names):
    table = dict.fromkeys(names, 2.0)
    return x * table[names[0]]


def make_fromkeys_of_dict():
    return keys_of_dict, [((torch.randn(3), ["a", "b"]), {})]


def make_fromkeys_of_ordered_dict():
    return lambda x: x * len(collections.OrderedDict.fromkeys("ab")), [((torch.randn(3),), {})]


def unhashable_keys(x):
    try:
        table = dict.fromkeys([[1], [2]])
    except TypeError:
        return x * 2
    return x * len(table)


def make_fromkeys_of_lists():
    return unhashable_keys, [((torch.randn(3),), {})]


class Groups(nn.Module):
    def forward(self, x, rows):
        y = x + 1
        try:
            return y * len(collections.OrderedDict.fromkeys(rows))
        except TypeError:
            return y


def make_fromkeys_of_dicts():
    return Groups(), [((torch.randn(3), [{}, {}]), {})]


def make_fromkeys_of_tuples():
    return Groups(), [((torch.randn(3), [(1,), (2,)]), {})]


def has_method(x, table):
    return x * 2 if hasattr(table, "move_to_end") else x


def make_hasattr_of_ordered_dict():
    return has_method, [((torch.randn(3), collections.OrderedDict(a=1)), {})]


def has_absent(x, table):
    return x * 2 if hasattr(table, "to_tensor") else x


def make_hasattr_absent_of_ordered_dict():
    return has_absent, [((torch.randn(3), collections.OrderedDict(a=1)), {})]


def make_hasattr_absent_of_dict():
    return has_absent, [((torch.randn(3), {"a": 1}), {})]


def make_hasattr_absent_of_defaultdict():
    return has_absent, [((torch.randn(3), collections.defaultdict(int)), {})]


class Output(nn.Module):
    def forward(self, x):
        out = collections.OrderedDict(a=x + 1)
        if hasattr(out, "loss"):
            return out.loss
        return out["a"]


def make_hasattr_absent_of_built_ordered_dict():
    return Output(), [((torch.randn(3),), {})]


def proxy_back(x, proxy):
    return x * proxy["a"], proxy


def make_mapping_proxy_returned():
    return proxy_back, [((torch.randn(3), types.MappingProxyType({"a": 2.0})), {})]


class HoldsProxy(nn.Module):
    def __init__(self):
        super().__init__()
        self.options = types.MappingProxyType({"a": 2.0})

    def forward(self, x):
        found = {"options": self.options, "value": x + 1}
        return found


def make_mapping_proxy_in_result():
    return HoldsProxy(), [((torch.randn(3),), {})]


def read_proxy(x, proxy):
    return x * proxy["a"]


def make_mapping_proxy_read():
    return read_proxy, [((torch.randn(3), types.MappingProxyType({"a": 2.0})), {})]


def make_mapping_proxy_tuple_keys():
    return lambda x, p: x * len(p), [((torch.randn(3), types.MappingProxyType({(1, 2): 2.0})), {})]


def make_mapping_proxy_class_keys():
    return lambda x, p: x * p[int], [((torch.randn(3), types.MappingProxyType({int: 2.0})), {})]


class Typed(nn.Module):
    def __init__(self):
        super().__init__()
        self.by_kind = types.MappingProxyType({Table: 2.0, dict: 1.0})

    def forward(self, x):
        y = x.relu()
        return y * self.by_kind[dict]


def make_mapping_proxy_class_keys_of_module():
    return Typed(), [((torch.randn(3),), {})]


def write_beside_proxy(x, table, proxy):
    table["b"] = 3.0
    return x * proxy["a"]


def make_mapping_proxy_beside_write():
    table = {"a": 2.0}
    return write_beside_proxy, [((torch.randn(3), table, types.MappingProxyType(table)), {})]


class WritesBeside(nn.Module):
    def __init__(self):
        super().__init__()
        self.calls = {"n": 0}
        self.options = types.MappingProxyType({"a": 2.0})

    def count(self):
        self.calls["n"] = self.calls["n"] + 1

    def forward(self, x):
        self.count()
        return x * self.options["a"]


def make_mapping_proxy_beside_counter():
    return WritesBeside(), [((torch.randn(3),), {})]


def keys_given(x, keys):
    return x * len(keys)


def make_dict_keys_of_classes():
    return keys_given, [((torch.randn(3), {int: 1, Table: 2}.keys()), {})]


def make_dict_keys_of_names():
    return keys_given, [((torch.randn(3), {"a": 1}.keys()), {})]


class KeysHeld(nn.Module):
    def __init__(self, table):
        super().__init__()
        self.names = table.keys()

    def forward(self, x):
        y = x.relu()
        for name in self.names:
            y = y + 1
        return y


def make_dict_keys_of_modules_held():
    return KeysHeld({nn.ReLU(): 1}), [((torch.randn(3),), {})]


def make_dict_keys_of_numbers_held():
    return KeysHeld({1: 1}), [((torch.randn(3),), {})]


# --- the dictionary of an object


class Options:
    def __init__(self):
        self.scale = 2.0


def replace_dict(options, x):
    options.__dict__ = {"scale": 3.0}
    return x * options.scale


def make_object_dict_replaced():
    return replace_dict, [((Options(), torch.randn(3)), {})]


def replace_dict_by_numbers(options, x):
    options.__dict__ = {1: 3.0, "scale": 2.0}
    options.__dict__["gain"] = 2.0
    return x * options.scale


def make_object_dict_replaced_with_number_key():
    return replace_dict_by_numbers, [((Options(), torch.randn(3)), {})]


class Reset(nn.Module):
    def forward(self, x):
        options = Options()
        options.__dict__ = {(1, 2): x}
        return x * len(vars(options))


def make_object_dict_replaced_with_tuple_key():
    return Reset(), [((torch.randn(3),), {})]


def replace_dict_by_tensor(options, x):
    options.__dict__ = {x: 3.0}
    return x * len(vars(options))


def make_object_dict_replaced_with_tensor_key():
    return replace_dict_by_tensor, [((Options(), torch.randn(3)), {})]


class Mixed(nn.Module):
    def forward(self, x):
        y = x + 1
        options = Options()
        options.__dict__ = {y: "first"}
        names = options.__dict__
        return y * len(names)


def make_object_dict_read_with_tensor_key():
    return Mixed(), [((torch.randn(3),), {})]


def vars_of(x, thing):
    return x * len(vars(thing))


def make_vars_of_object():
    return vars_of, [((torch.randn(3), Options()), {})]


def vars_of_tensor(x):
    return x * (1 + len(x.__dict__))


def make_vars_of_tensor():
    return vars_of_tensor, [((torch.randn(3),), {})]


def vars_of_result(x):
    y = x + 1
    return y * (1 + len(vars(y)))


def make_vars_of_result():
    return vars_of_result, [((torch.randn(3),), {})]


# --- lists


def sort_tensors(x):
    rows = sorted([x[0], x[1]], key=lambda row: row.sum())
    return rows[0]


def make_sorted_by_tensor():
    return sort_tensors, [((torch.randn(2, 3),), {})]


class Ranks(nn.Module):
    def forward(self, x):
        rows = list(x.unbind(0))
        rows.sort(key=self.weight, reverse=True)
        return torch.stack(rows)

    def weight(self, row):
        return row.norm()


def make_list_sort_by_method():
    return Ranks(), [((torch.randn(2, 3),), {})]


def sort_by_shape(x, y):
    rows = sorted([x, y], key=lambda row: row.shape[0])
    return rows[0].sum()


def make_sorted_by_rows():
    return sort_by_shape, [((torch.randn(3), torch.randn(2)), {})]


def lists_equal(x, y):
    if [x, 1] == [y, 1]:
        return x
    return x + y


def make_lists_of_tensors_equal():
    return lists_equal, [((torch.randn(1), torch.randn(1)), {})]


class SamePair(nn.Module):
    def same(self, a, b):
        return a == b

    def forward(self, x):
        y = x * 2
        return y if self.same((x.sum(), 2), (y.sum(), 2)) else x


def make_tuples_of_tensors_equal():
    return SamePair(), [((torch.randn(3),), {})]


def lists_of_numbers_equal(x, sizes):
    return x * 2 if list(x.shape) == sizes else x


def make_lists_of_numbers_equal():
    return lists_of_numbers_equal, [((torch.randn(3), [3]), {})]


# --- sizes and slices


def size_by_tensor(x, index):
    return x * x.shape[index]


def make_size_at_tensor():
    return size_by_tensor, [((torch.randn(3, 4), torch.tensor(1)), {})]


class AtBuffer(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("axis", torch.tensor(0))

    def forward(self, x):
        y = x.relu()
        return y.mean() * y.size()[self.axis]


def make_size_at_buffer():
    return AtBuffer(), [((torch.randn(3, 4),), {})]


def make_size_at_number():
    return size_by_tensor, [((torch.randn(3, 4), 1), {})]


def slice_fields(x, part):
    return x[part] * (part.stop - part.start)


def make_slice_fields():
    return slice_fields, [((torch.randn(5), slice(1, 3)), {})]


def slice_class(x):
    part = slice(0, 2)
    return x[part] * (part.__class__ is slice)


def make_slice_class():
    return slice_class, [((torch.randn(5),), {})]


class Windows(nn.Module):
    def __init__(self):
        super().__init__()
        self.part = slice(0, 2)

    def doc(self, part):
        return len(part.__doc__)

    def forward(self, x):
        y = x.relu()
        return y[self.part] * self.doc(self.part)


def make_slice_doc():
    return Windows(), [((torch.randn(5),), {})]


def slice_range(x, part):
    start, stop, step = part.indices(x.shape[0])
    return x[start:stop:step]


def make_slice_indices():
    return slice_range, [((torch.randn(5), slice(0, None, 2)), {})]
