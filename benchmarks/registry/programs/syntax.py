"""Names, variables, imports and calls: what the statements of a function do."""

import torch
from torch import nn

# --- local variables that were never set, or were deleted


def unset_scale(x, flag):
    if flag:
        scale = 2.0
    return x * scale


def scale_or_plain(x, flag):
    y = x + 1
    try:
        return unset_scale(y, flag)
    except UnboundLocalError:
        return y


def make_local_unset():
    return scale_or_plain, [((torch.randn(3), False), {})]


def make_local_set():
    return scale_or_plain, [((torch.randn(3), True), {})]


class Deletes(nn.Module):
    def forward(self, x):
        y = x.relu()
        gain = 3.0
        del gain
        try:
            return y * gain
        except NameError:
            return y


def make_local_deleted():
    return Deletes(), [((torch.randn(3),), {})]


class Rebinds(nn.Module):
    def forward(self, x):
        y = x.relu()
        gain = 3.0
        del gain
        gain = 2.0
        return y * gain


def make_local_deleted_and_set_again():
    return Rebinds(), [((torch.randn(3),), {})]


# --- closures read or written before they hold anything


def early_read(x):
    def inner():
        return x * factor

    try:
        y = inner()
    except NameError:
        y = x
    factor = 2.0
    return y * factor


def make_cell_read_early():
    return early_read, [((torch.randn(3),), {})]


def late_read(x):
    def inner():
        return x * factor

    factor = 2.0
    return inner()


def make_cell_read_late():
    return late_read, [((torch.randn(3),), {})]


class Recursive(nn.Module):
    def forward(self, x, depth):
        def walk(y, n):
            return y if n == 0 else walk(y * 2, n - 1) + bias

        if depth == 0:
            bias = 1.0
        try:
            return walk(x, depth)
        except NameError:
            return x


def make_cell_read_on_one_path():
    return Recursive(), [((torch.randn(3), 2), {})]


def make_cell_not_reached():
    return Recursive(), [((torch.randn(3), 0), {})]


# --- names that are nowhere


def unknown_name(x):
    try:
        return x * not_defined_anywhere
    except NameError:
        return x


def make_name_unknown():
    return unknown_name, [((torch.randn(3),), {})]


class UnknownHelper(nn.Module):
    def forward(self, x):
        y = x.sigmoid()
        try:
            return missing_helper(y)
        except NameError:
            return y


def make_helper_unknown():
    return UnknownHelper(), [((torch.randn(3),), {})]


def known_builtin(x):
    return x * len("ab")


def make_name_builtin():
    return known_builtin, [((torch.randn(3),), {})]


# --- globals

HANDLE = None
COUNT = 0


def keep_handle(x):
    global HANDLE
    y = x * 2
    HANDLE = y.register_hook(lambda g: g * 2)
    return y.sum()


def make_handle_in_global():
    return keep_handle, [((torch.randn(3, requires_grad=True),), {})]


class KeepsHandle(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(3, 3)

    def forward(self, x):
        global HANDLE
        h = self.lin(x)
        HANDLE = h.register_hook(torch.neg)
        return h.sum()


def make_handle_in_global_of_module():
    return KeepsHandle(), [((torch.randn(2, 3),), {})]


def local_handle(x):
    y = x * 2
    handle = y.register_hook(lambda g: g * 2)
    z = y.sum()
    handle.remove()
    return z


def make_handle_in_local():
    return local_handle, [((torch.randn(3, requires_grad=True),), {})]


def count_calls(x):
    global COUNT
    COUNT = COUNT + 1
    return x + 1


def make_number_in_global():
    return count_calls, [((torch.randn(3),), {})]


# --- imports inside functions


def optional_backend(x):
    try:
        import no_such_backend
    except ImportError:
        return x * 2
    return no_such_backend.run(x)


def make_import_missing():
    return optional_backend, [((torch.randn(3),), {})]


def load_extra():
    from torch import no_such_operator

    return no_such_operator


class Extra(nn.Module):
    def forward(self, x):
        y = x.tanh()
        try:
            return load_extra()(y)
        except ImportError:
            return y


def make_import_missing_name():
    return Extra(), [((torch.randn(3),), {})]


def relative_helper(x):
    try:
        from .kernels import fused
    except ImportError:
        return x.relu()
    return fused(x)


def make_import_missing_relative():
    return relative_helper, [((torch.randn(3),), {})]


def local_import(x):
    import math

    return x * math.pi


def make_import_present():
    return local_import, [((torch.randn(3),), {})]


def nested_import(x):
    import torch.nn.functional as F
    from collections import OrderedDict

    parts = OrderedDict(a=F.relu(x))
    return parts["a"]


def make_import_dotted():
    return nested_import, [((torch.randn(3),), {})]


# --- calls with * and **


def add_all(x, *values, **named):
    for value in values:
        x = x + value
    for value in named.values():
        x = x + value
    return x


class Mapping3:
    def keys(self):
        return ["a", "b"]

    def __getitem__(self, key):
        return {"a": 1.0, "b": 2.0}[key]


def spread_object(x, options):
    return add_all(x, **options)


def make_spread_mapping_object():
    return spread_object, [((torch.randn(3), Mapping3()), {})]


def make_spread_dict():
    return spread_object, [((torch.randn(3), {"a": 1.0, "b": 2.0}), {})]


def wrong_arity(x):
    try:
        return pair_sum(x)
    except TypeError:
        return x


def pair_sum(a, b):
    return a + b


def make_call_too_few():
    return wrong_arity, [((torch.randn(3),), {})]


class Dispatch(nn.Module):
    def __init__(self, fn):
        super().__init__()
        self.fn = fn

    def forward(self, x):
        y = x.exp()
        try:
            return self.fn(y, scale=2)
        except TypeError:
            return self.fn(y, 2)


def scaled(x, factor):
    return x * factor


def make_call_unknown_keyword():
    return Dispatch(scaled), [((torch.randn(3),), {})]


def scaled_by(x, scale):
    return x * scale


def make_call_known_keyword():
    return Dispatch(scaled_by), [((torch.randn(3),), {})]


def spread_too_many(x, sizes):
    y = x.cos()
    try:
        return pair_sum(*sizes)
    except TypeError:
        return y


def make_spread_too_many():
    return spread_too_many, [((torch.randn(3), [1, 2, 3]), {})]


def make_spread_exact():
    return spread_too_many, [((torch.randn(3), [1, 2]), {})]


# --- format strings


def title(x, name):
    text = f"{name}: {x.shape[0]} rows"
    return x * len(text)


def make_fstring_numbers():
    return title, [((torch.randn(3), "a"), {})]


def mixed_text(x):
    parts = f"{x.sum():.2f} of {x.shape[0]}"
    return x, parts


def make_fstring_tensor():
    return mixed_text, [((torch.randn(3),), {})]


# --- statements with instructions of their own


def annotated(x):
    scale: float = 2.0
    return x * scale


def make_annotated_local():
    return annotated, [((torch.randn(3),), {})]


def defines_class(x):
    class Local:
        factor: float = 2.0

    return x * Local.factor


def make_class_with_annotation():
    return defines_class, [((torch.randn(3),), {})]


def matches_mapping(x, options):
    match options:
        case {"scale": scale}:
            return x * scale
        case [a, *rest]:
            return x + a + len(rest)
        case _:
            return x


def make_match_mapping():
    return matches_mapping, [((torch.randn(3), {"scale": 2.0}), {})]


def make_match_sequence():
    return matches_mapping, [((torch.randn(3), [1.0, 2.0, 3.0]), {})]


class Point:
    __match_args__ = ("a", "b")

    def __init__(self, a, b):
        self.a = a
        self.b = b


def matches_class(x, point):
    match point:
        case Point(a, b):
            return x * a + b
    return x


def make_match_class():
    return matches_class, [((torch.randn(3), Point(1.0, 2.0)), {})]


async def later(x):
    return x + 1


def run_coroutine(x):
    job = later(x)
    try:
        job.send(None)
    except StopIteration as stop:
        return stop.value
    return x


def make_coroutine_by_hand():
    return run_coroutine, [((torch.randn(3),), {})]


async def gather(x):
    async with Scope() as scope:
        return x * scope


class Scope:
    async def __aenter__(self):
        return 2.0

    async def __aexit__(self, *error):
        return None


def runs_async_with(x):
    job = gather(x)
    try:
        job.send(None)
    except StopIteration as stop:
        return stop.value
    return x


def make_async_with():
    return runs_async_with, [((torch.randn(3),), {})]
