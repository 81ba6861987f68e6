"""`syntax.records`: which calls make a record, and what its fields are."""

from __future__ import annotations

import ast

import pytest

from compilelint.syntax.records import fields_of
from tests.support.reveal import check


def fields(call: str) -> list[tuple[str, str | None]] | None:
    found = fields_of(ast.parse(call, mode="eval").body)
    return None if found is None else [(name, default and ast.unparse(default)) for name, _, default in found]


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        ("namedtuple('State', 'y, t0')", [("y", None), ("t0", None)]),
        ("collections.namedtuple('State', ['y', 't0'])", [("y", None), ("t0", None)]),
        ("namedtuple('State', ('y', 't0'), defaults=(3,))", [("y", None), ("t0", "3")]),
        ("namedtuple('State', names)", None),
        ("namedtuple('State', ['y', name])", None),
        ("namedtuple('State', 'y 0')", None),
        ("namedtuple('State')", None),
        ("namedtuple(*both)", None),
        ("dataclass('State', 'y')", None),
    ],
)
def test_fields(call: str, expected: list[tuple[str, str | None]] | None) -> None:
    assert fields(call) == expected


def test_a_record_is_a_class_with_fields() -> None:
    check("""
        from collections import namedtuple

        State = namedtuple("State", "y, t0")

        class Wide(namedtuple("Wide", "u v")):
            def total(self):
                return self.u + self.v

        class Holder:
            Inner = namedtuple("Inner", ["a", "b"], defaults=(None,))

        def f(x: Tensor):
            state = State(x, 3)
            reveal_type(state.t0)  # 3
            y, t0 = state
            reveal_type(t0)  # 3
            reveal_type(state._replace(t0=4).t0)  # 4
            reveal_type(Wide(1, 2).total())  # 3
            reveal_type(Holder.Inner(5).b)  # None
    """)


def test_another_function_of_that_name_makes_no_record() -> None:
    check("""
        def namedtuple(name, fields):
            return 7

        def f(x: Tensor):
            State = namedtuple("State", "y")
            reveal_type(State)  # 7
    """)
