"""Python's own callables, refused for what they are given: each form, and one beside it that is traced."""

from __future__ import annotations

import pytest

from compilelint.interp.refusals import refused_python
from compilelint.interp.refusals.refused_calls import TABLE
from tests.support.worker_messages import check

HEAD = """
        import collections, functools, itertools, traceback, types, typing

        class Thing:
            def own(self, x):
                return x

        def outside(self, x):
            return x

        @torch._dynamo.assume_constant_result
        def constant(value):
            return 3.0
"""
CAUGHT = (
    ("functools.partial()", "functools.partial"),
    ("collections.deque([x], 2, 3)", "collections.deque"),
    ("collections.deque(rows=[x])", "collections.deque"),
    ("itertools.product([1], times=2)", "itertools.product"),
    ("itertools.groupby(iterable=[1, 2])", "itertools.groupby"),
    ("itertools.groupby([1, 2], key=None)", "itertools.groupby"),
    ("dict.fromkeys([[1], [2]])", "builtins.dict.fromkeys"),
    ("dict.fromkeys([{}])", "builtins.dict.fromkeys"),
    ("isinstance(x)", "builtins.isinstance"),
    ("itertools.zip_longest([1], [2], fill=0)", "itertools.zip_longest"),
    ("sorted()", "builtins.sorted"),
    ("enumerate()", "builtins.enumerate"),
    ("AssertionError(5)", "builtins.AssertionError"),
    ("AssertionError(('a', 1))", "builtins.AssertionError"),
    ("AssertionError(x.shape[0])", "builtins.AssertionError"),
    ("AssertionError(x)", "builtins.AssertionError"),
    ("property(outside)", "builtins.property"),
    ("types.FunctionType.__get__(nested, Thing())", "types.FunctionType.__get__"),
    ("types.FunctionType.__get__(nested, instance=Thing())", "types.FunctionType.__get__"),
    ("repr(closed)", "builtins.repr"),
    ("str(closed)", "builtins.str"),
    ("torch._dynamo.nonstrict_trace(nested)", "torch._dynamo.nonstrict_trace"),
    ("torch._dynamo.step_unsupported()", "torch._dynamo.step_unsupported"),
    ("UnboundLocalError('a', name='b')", "builtins.UnboundLocalError"),
    ("typing.cast(int, x, 3)", "typing.cast"),
    ("type('Made', (Thing,), {})()", "builtins.type.__call__"),
    ("constant([x])", "constant"),
    ("constant({'a': (x,)})", "constant"),
)
TRACED = (
    "functools.partial(raises, 1)",
    "collections.deque([x], maxlen=2)",
    "itertools.product([1], repeat=2)",
    "itertools.groupby([1, 2], key=abs)",
    "dict.fromkeys([1, (2, 3)])",
    "isinstance(x, Tensor)",
    "AssertionError('text')",
    "AssertionError()",
    "AssertionError(f'{x.shape}')",
    "property()",
    "types.FunctionType.__get__(outside, Thing())",
    "repr(nested)",
    "torch._dynamo.nonstrict_trace(outside)",
    "UnboundLocalError('a')",
    "typing.cast(int, x)",
    "type('Made', (Thing,), {})",
    "type(x)",
    "constant([1])",
)
FUNCTION = """
        def raises(value):
            raise ValueError(value)

        def f(x: Tensor):
            y = x + 1

            def nested(self):
                return self

            def closed(z):
                return z + y

            try:
                made = {code}{event}
            except (TypeError, ValueError):
                pass
            return x
"""


@pytest.mark.parametrize(("code", "name"), CAUGHT)
def test_refused(code: str, name: str) -> None:
    check(HEAD + FUNCTION.format(code=code, event=f"  # call {name} in try"))


@pytest.mark.parametrize("code", TRACED)
def test_traced(code: str) -> None:
    check(HEAD + FUNCTION.format(code=code, event=""))


def test_super_of_a_class_alone() -> None:
    check("""
        class Base(nn.Module):
            def forward(self, x: Tensor):
                kept = super(Base)  # call builtins.super
                return super(Base, self).extra_repr()
    """)


def test_numbers_and_none_are_called_where_the_error_is_caught() -> None:
    check("""
        def f(x: Tensor):
            step = None
            try:
                step()  # syntax None() in try
            except TypeError:
                return x
            return step(x)
    """)


def test_where_in_the_bytecode_a_traceback_stands() -> None:
    check("""
        import traceback

        def f(x: Tensor):
            try:
                raise ValueError("a")
            except ValueError as error:
                traceback.print_exc()  # call traceback.print_exc in except
                line = error.__traceback__.tb_lineno
                return x * error.__traceback__.tb_lasti  # syntax .tb_lasti in except skipped
    """)


def test_each_name_of_the_table_is_shown() -> None:
    shown = " ".join([*(name for _, name in CAUGHT), "builtins.super traceback.print_exc"])
    mine = [name for name, refuses in TABLE.items() if refuses.__module__ == refused_python.__name__]
    assert [name for name in mine if name not in shown] == ["collections.OrderedDict.fromkeys", "builtins.issubclass"]
