"""Names that expressions spell, and the statements of a body."""

from __future__ import annotations

import textwrap

import pytest

from compilelint.syntax import ir
from compilelint.syntax.walk import dotted_name, last_name, statements_of
from tests.support.reveal import lowered


@pytest.mark.parametrize(
    ("text", "dotted", "last"),
    [
        ("a", "a", "a"),
        ("a.b.c", "a.b.c", "c"),
        ("a.b.c(1)", "", "c"),
        ("a().b", "", "b"),
        ("a[0].b", "", "b"),
        ("1", "", ""),
    ],
)
def test_names_of_expressions(text: str, dotted: str, last: str) -> None:
    (statement,) = lowered(text + "\n").body
    assert isinstance(statement, ir.ExprStmt)
    assert (dotted_name(statement.value), last_name(statement.value)) == (dotted, last)


def test_blocks_are_entered_in_order_and_functions_are_not() -> None:
    text = """
    if a:
        one
    elif b:
        with c:
            two
    else:
        for i in d:
            three
        else:
            four
    try:
        five
    except E:
        six
    else:
        seven
    finally:
        eight
    def f():
        inside
    class C:
        inside
    match e:
        case 1:
            nine
    while g:
        ten
    """
    found = [s for s in statements_of(lowered(textwrap.dedent(text)).body) if isinstance(s, ir.ExprStmt)]
    names = [dotted_name(s.value) for s in found]
    assert names == ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"]
