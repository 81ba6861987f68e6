"""Calls of functions: built in, skipped, wrapped, generated, with arguments of every kind."""

import contextlib
import functools
import io
import itertools
import logging
import operator
import time
import types

import torch
from torch import nn

LOG = logging.getLogger("model")

# --- functions that are skipped


def stamp(x):
    return x * (time.time() > 0)


def make_time_read():
    return stamp, [((torch.randn(3),), {})]


class Timed(nn.Module):
    def now(self):
        return time.perf_counter()

    def forward(self, x):
        started = self.now()
        y = x.exp()
        return y, self.now() - started


def make_timer_in_method():
    return Timed(), [((torch.randn(3),), {})]


def halves(x):
    return x * operator.truediv(1, 2)


def make_operator_call():
    return halves, [((torch.randn(3),), {})]


@torch.compiler.disable
def eager_only(x):
    return x * 2


def call_disabled(x):
    return eager_only(x + 1) + 1


def make_disabled_function():
    return call_disabled, [((torch.randn(3),), {})]


class PartlyDisabled(nn.Module):
    @torch.compiler.disable
    def slow(self, x):
        return x.sort().values

    def forward(self, x):
        y = x.relu()
        return self.slow(y) * 2


def make_disabled_method():
    return PartlyDisabled(), [((torch.randn(3),), {})]


def deep_disabled(x):
    def run(fn, y):
        return fn(y)

    return run(eager_only, x.sin())


def make_disabled_passed_on():
    return deep_disabled, [((torch.randn(3),), {})]


def plain_helper(x):
    return x * 2


def call_plain(x):
    return plain_helper(x + 1) + 1


def make_enabled_function():
    return call_plain, [((torch.randn(3),), {})]


def with_marker(x):
    y = x + 1
    torch._dynamo.graph_break()
    return y * 2


def make_marker():
    return with_marker, [((torch.randn(3),), {})]


class Marked(nn.Module):
    def cut(self):
        torch._dynamo.graph_break(msg="here")

    def forward(self, x):
        y = x.cos()
        self.cut()
        return y * 2


def make_marker_in_method():
    return Marked(), [((torch.randn(3),), {})]


def maybe_marker(x, debug=False):
    y = x + 1
    if debug:
        torch._dynamo.graph_break()
    return y * 2


def make_marker_behind_flag():
    return maybe_marker, [((torch.randn(3),), {})]


def skips(x):
    y = x + 1
    torch._dynamo.skip_frame()
    return y * 2


def make_frame_skipped():
    return skips, [((torch.randn(3),), {})]


class SkipsSome(nn.Module):
    def guard(self, x):
        if x.dim() == 1:
            torch._dynamo.skip_frame("one dimension")
        return x

    def forward(self, x):
        y = x.tanh()
        return self.guard(y) + 1


def make_frame_skipped_for_one_dimension():
    return SkipsSome(), [((torch.randn(3),), {})]


def make_frame_skipped_never():
    return SkipsSome(), [((torch.randn(3, 3),), {})]


def bind_by_get(x):
    bound = types.FunctionType.__get__(plain_helper, x)
    return bound()


def make_function_get():
    return bind_by_get, [((torch.randn(3),), {})]


def bind_partial(x):
    bound = types.FunctionType.__get__(functools.partial(plain_helper), x)
    return bound()


class Owner:
    def scaled(self, x):
        return x * 2


def bind_by_class(x):
    owner = Owner()
    return Owner.scaled.__get__(owner, Owner)(x)


def make_method_get():
    return bind_by_class, [((torch.randn(3),), {})]


def bind_keyword(x):
    bound = types.FunctionType.__get__(Owner.scaled, Owner(), owner=Owner)
    return bound(x)


def local_bound(x):
    def scaled(self, y):
        return y * 2

    bound = types.FunctionType.__get__(scaled, Owner())
    return bound(x)


def make_nested_function_get():
    return local_bound, [((torch.randn(3),), {})]


class BindsLambda(nn.Module):
    def forward(self, x):
        y = x + 1
        step = lambda self, z: z * 3
        return types.FunctionType.__get__(step, self, type(self))(y)


def make_lambda_get():
    return BindsLambda(), [((torch.randn(3),), {})]


# --- wrappers made by torch and by the standard library


def build_partial_empty(x):
    try:
        functools.partial()
    except TypeError:
        return x * 2
    return x


def make_partial_without_function():
    return build_partial_empty, [((torch.randn(3),), {})]


class PartialOf(nn.Module):
    def forward(self, x, *args):
        y = x.relu()
        try:
            fn = functools.partial(*args)
        except TypeError:
            return y
        return fn(y)


def make_partial_of_nothing_spread():
    return PartialOf(), [((torch.randn(3),), {})]


def make_partial_of_function_spread():
    return PartialOf(), [((torch.randn(3), plain_helper), {})]


def odd_partial():
    fn = functools.partial(plain_helper)
    fn.__setstate__((plain_helper, (), {("a",): 1}, {}))
    return fn


def partial_keywords(x, fn):
    return x * len(fn.keywords)


def make_partial_with_tuple_keyword():
    return partial_keywords, [((torch.randn(3), odd_partial()), {})]


class KeepsPartial(nn.Module):
    def __init__(self, fn):
        super().__init__()
        self.fn = fn

    def forward(self, x):
        y = x - 1
        return y * len(self.fn.keywords)


def make_partial_with_tuple_keyword_kept():
    return KeepsPartial(odd_partial()), [((torch.randn(3),), {})]


def make_partial_with_keyword_kept():
    return KeepsPartial(functools.partial(plain_helper, x=1)), [((torch.randn(3),), {})]


@contextlib.contextmanager
def scope():
    yield 2.0


def enter_scope(x):
    with scope() as factor:
        return x * factor


def make_contextmanager():
    return enter_scope, [((torch.randn(3),), {})]


@contextlib.contextmanager
def no_yield():
    return iter([2.0])


def enter_no_yield(x):
    with no_yield() as factor:
        return x * factor


def make_contextmanager_of_function():
    return enter_no_yield, [((torch.randn(3),), {})]


class Scoped(nn.Module):
    @contextlib.contextmanager
    def scaled(self):
        return scope_values()

    def forward(self, x):
        y = x.relu()
        with self.scaled() as factor:
            return y * factor


def scope_values():
    yield 3.0


def make_contextmanager_of_method():
    return Scoped(), [((torch.randn(3),), {})]


def quiet(x):
    with contextlib.redirect_stdout(io.StringIO()):
        return x * 2


def make_redirect():
    return quiet, [((torch.randn(3),), {})]


class Resource:
    def close(self):
        pass


class Closes(nn.Module):
    def forward(self, x):
        y = x + 1
        with contextlib.closing(Resource()):
            return y * 2


def make_closing():
    return Closes(), [((torch.randn(3),), {})]


def suppresses(x):
    with contextlib.suppress(ValueError):
        return x * 2


def make_suppress():
    return suppresses, [((torch.randn(3),), {})]


def nothing(x):
    with contextlib.nullcontext():
        return x * 2


def make_nullcontext():
    return nothing, [((torch.randn(3),), {})]


# --- generators


def endless():
    n = 0
    while True:
        yield n
        n += 1


def all_of_endless(x):
    for n in endless():
        x = x + n
        if n == 3:
            break
    return x


def make_endless_stopped():
    return all_of_endless, [((torch.randn(3),), {})]


def zip_endless(x):
    return x + sum(a * b for a, b in zip(endless(), [1, 2, 3]))


def make_endless_zipped():
    return zip_endless, [((torch.randn(3),), {})]


def slice_endless(x):
    return x + sum(itertools.islice(endless(), 3))


def make_endless_sliced():
    return slice_endless, [((torch.randn(3),), {})]
