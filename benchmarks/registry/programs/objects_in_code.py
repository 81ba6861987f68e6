"""Objects that the code itself makes or names: the text shows what they are."""

import functools
import re

import torch
from torch import nn
from torch._dynamo.comptime import comptime
from torch.autograd import Function

DIGITS = re.compile(r"\d+")
KINDS = {list[int]: 2.0}
KEPT = None


def x3():
    return torch.randn(3)


def leaf():
    return torch.randn(3, requires_grad=True)


# --- handles and keys


def double(grad):
    return grad * 2


def keeps_handle_of_input(x):
    global KEPT
    KEPT = x.register_hook(double)
    return x * 2


def make_handle_of_input_in_global():
    return keeps_handle_of_input, [((leaf(),), {})]


def handle_of_input_in_local(x):
    handle = x.register_hook(double)
    return x * 2, handle


def make_handle_of_input_returned():
    return handle_of_input_in_local, [((leaf(),), {})]


def by_kind(x, kind):
    return x * KINDS[kind]


def make_kind_looked_up():
    return by_kind, [((x3(), list[int]), {})]


class Kinds(nn.Module):
    def __init__(self, known):
        super().__init__()
        self.known = known

    def forward(self, x, kind):
        return x * 2 if kind in self.known else x


def make_kind_among_kinds():
    return Kinds(frozenset({list[int]})), [((x3(), list[int]), {})]


def make_kind_among_classes():
    return Kinds(frozenset({int, str})), [((x3(), int), {})]


# --- texts


def digits_of_sum(x):
    return x * 2 if DIGITS.match(f"{x.sum()}") else x


def make_pattern_of_sum():
    return digits_of_sum, [((x3(),), {})]


def digits_of_shape(x):
    return x * len(DIGITS.findall(str(x.shape)))


def make_pattern_of_shape():
    return digits_of_shape, [((x3(),), {})]


# --- iterators as objects


def rows():
    yield 1


def pairs_alike(x):
    first, second = zip([1], [2]), zip([1], [2])
    return x * 2 if first != second else x


def make_zips_compared():
    return pairs_alike, [((x3(),), {})]


class Branches(nn.Module):
    def forward(self, x):
        def up():
            return x + 1

        def down():
            return x - 1

        return up() if up == down else down()


def make_closures_compared():
    return Branches(), [((x3(),), {})]


def pairs_with_themselves(x):
    first = zip([1], [2])
    return x * 2 if first == first else x


def make_zip_with_itself():
    return pairs_with_themselves, [((x3(),), {})]


def shown_pairs(x):
    return x * len(repr(zip([1], [2])))


def make_zip_shown():
    return shown_pairs, [((x3(),), {})]


def shown_rows(x):
    made = rows()
    return x * len(repr(made))


def make_generator_shown():
    return shown_rows, [((x3(),), {})]


def shown_partial(x):
    return x * len(repr(functools.partial(max, 1)))


def make_partial_shown():
    return shown_partial, [((x3(),), {})]


def while_running(x):
    made = rows()
    return x * 2 if made.gi_running else x


def make_generator_running():
    return while_running, [((x3(),), {})]


def with_frame(x):
    made = rows()
    return x * 2 if made.gi_frame is not None else x


def make_generator_frame():
    return with_frame, [((x3(),), {})]


# --- questions


def bound_to(x):
    return x * 2 if hasattr(x.sum, "__self__") else x


def make_method_of_tensor_asked():
    return bound_to, [((x3(),), {})]


def device_has_type(x):
    return x * 2 if hasattr(x.device, "type") else x


def make_device_asked():
    return device_has_type, [((x3(),), {})]


class Tied(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Linear(3, 3)
        self.b = nn.Linear(3, 3)

    def tied(self, p, q):
        return p.data_ptr() == q.data_ptr()

    def forward(self, x):
        return self.a(x) if self.tied(self.a.weight, self.b.weight) else self.b(x)


def make_weights_tied():
    return Tied(), [((x3(),), {})]


# --- classes and functions


class Named(torch.Tensor):
    ndim = 7


class Plain(torch.Tensor):
    pass


def own_dimensions(x):
    return x * x.as_subclass(Named).ndim


def make_own_dimensions_of_part():
    return own_dimensions, [((x3(),), {})]


def plain_dimensions(x):
    return x * x.as_subclass(Plain).ndim


def make_dimensions_of_part():
    return plain_dimensions, [((x3(),), {})]


def own_base(x):
    y = x.as_subclass(Plain)
    return x * 2 if y._base is None else x


def make_base_of_part():
    return own_base, [((x3(),), {})]


class Forgets:
    def __init__(self):
        self.best_0 = 1.0

    def __delattr__(self, name):
        super().__delattr__(name)


def forget(x, kept):
    delattr(kept, f"best_{x.max():.0f}")
    return x * 2


def make_forgets_by_maximum():
    return forget, [((torch.zeros(3), Forgets()), {})]


def forget_first(x, kept):
    delattr(kept, "best_0")
    return x * 2


def make_forgets_by_name():
    return forget_first, [((torch.zeros(3), Forgets()), {})]


class Moves(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.mark_dirty(x)
        x.mul_(2)
        return x

    @staticmethod
    def backward(ctx, grad):
        return grad * 2

    @staticmethod
    def jvp(ctx, tangent):
        return tangent * 2


def moved(x):
    return Moves.apply(x * 2)


def make_marks_with_jvp():
    return moved, [((leaf(),), {})]


class Scales(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.mark_dirty(x)
        x.mul_(2)
        return x

    @staticmethod
    def backward(ctx, grad):
        return grad * 2


def scaled(x):
    return Scales.apply(x * 2)


def make_marks_without_jvp():
    return scaled, [((leaf(),), {})]


def lineage(x):
    return x * len(Scales.mro())


def make_lineage_of_function():
    return lineage, [((x3(),), {})]


def stop(ctx):
    ctx.graph_break()


def stops_by_name(x):
    comptime(stop)
    return x * 2


def make_comptime_of_function():
    return stops_by_name, [((x3(),), {})]


def look(ctx):
    ctx.get_local("x")


def looks_by_name(x):
    comptime(look)
    return x * 2


def make_comptime_that_looks():
    return looks_by_name, [((x3(),), {})]


def nested_of_rows(x):
    made = (row for row in [torch.ones(2), torch.ones(3)])
    return x + torch.nested.nested_tensor(made, layout=torch.jagged).values().sum()


def make_nested_of_generator():
    return nested_of_rows, [((x3(),), {})]
