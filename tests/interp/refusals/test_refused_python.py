"""Python's own callables, refused for what they are given: each form, and one beside it that is traced."""

from __future__ import annotations

import pytest

from compilelint.interp.refusals import refused_python
from compilelint.interp.refusals.refused_calls import TABLE
from tests.support.worker_messages import check

HEAD = """
        import collections, functools, itertools, operator, traceback, types, typing

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
    ("operator.truth(x.sum())", "operator.truth"),
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
    "operator.truth(x.shape[0])",
    "operator.truth()",
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
    shown = " ".join(
        [*(name for _, name in CAUGHT), *(str(one.values[1]) for one in COMPARED), "builtins.super traceback.print_exc"]
    )
    mine = [name for name, refuses in TABLE.items() if refuses.__module__ == refused_python.__name__]
    assert [name for name in mine if name not in shown] == ["collections.OrderedDict.fromkeys", "builtins.issubclass"]


RANKED = """
class Ranked:
    def __init__(self, rank):
        self.rank = rank

    def __lt__(self, other):
        return self.rank < other.rank


import math

NAMED = {"a": 1, "b": 2}
ONE, TWO = Ranked(1), Ranked(2)


"""


COMPARED = [
    pytest.param("max(zip((1, 2), (3, 4)))", "builtins.max", id="pairs of an iterator"),
    pytest.param("max([v, 1] for v in (1, 2))", "builtins.max", id="lists of a generator"),
    pytest.param("max(NAMED.values(), key=abs)", "builtins.max", id="values by a key"),
    pytest.param("min((v for v in (1, 2)), default=0)", "builtins.min", id="a generator with a default"),
    pytest.param("min((ONE, TWO))", "builtins.min", id="objects"),
    pytest.param("min(ONE, TWO)", "builtins.min", id="objects one by one"),
    pytest.param("min((ONE, TWO), key=lambda one: one.rank)", "builtins.min", id="objects by a key"),
    pytest.param("sorted((ONE, TWO))", "builtins.sorted", id="objects are sorted"),
    pytest.param("math.prod(v for v in (1, 2))", "math.prod", id="numbers of a generator"),
    pytest.param("math.fsum(v for v in (1, 2))", "math.fsum", id="their sum"),
]


@pytest.mark.parametrize(("code", "name"), COMPARED)
def test_what_cannot_be_compared(code: str, name: str) -> None:
    check(f"{RANKED}\ndef f(x: Tensor):\n    return {code}  # call {name}\n")


@pytest.mark.parametrize(
    "code",
    [
        pytest.param("max(v for v in (1, 2))", id="numbers of a generator"),
        pytest.param("max([(1, 2), (3, 4)])", id="pairs of a list"),
        pytest.param("max(NAMED.items())", id="pairs of a dictionary"),
        pytest.param("max(iter([(1, 2)]))", id="pairs of an iterator of a list"),
        pytest.param("max(NAMED, key=len)", id="keys by a key"),
        pytest.param("max([1, 2], default=0)", id="a list with a default"),
        pytest.param("max(map(abs, (1, 2)))", id="mapped numbers"),
        pytest.param("sorted((ONE, TWO), key=lambda one: one.rank)", id="objects are sorted by a key"),
        pytest.param("math.prod([1, 2])", id="the product of a list"),
    ],
)
def test_what_is_compared(code: str) -> None:
    check(f"{RANKED}\ndef f(x: Tensor):\n    return {code}\n")


def test_a_generator_that_is_seeded_where_it_is_made() -> None:
    check("""
        drawing = torch.Generator().manual_seed(0)

        def f(x: Tensor):
            return x + torch.rand(4, generator=drawing)  # call torch.rand
    """)
