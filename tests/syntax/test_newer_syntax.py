"""Syntax of a Python later than ours is distinguished from what is no Python."""

from __future__ import annotations

import sys

import pytest

from compilelint.syntax.newer_syntax import python_needed
from compilelint.syntax.parse import parse
from compilelint.syntax.unreadable import Unreadable

OURS = sys.version_info[:2]

NEWER = [
    pytest.param("def first[T](xs: list[T]) -> T:\n    return xs[0]\n", 1, (3, 12), id="a generic function"),
    pytest.param("x = 1\n\nclass Box[T](Base):\n    pass\n", 3, (3, 12), id="a generic class"),
    pytest.param("class A:\n    def f[\n        T\n    ](self, x: T): ...\n", 2, (3, 12), id="over several lines"),
    pytest.param("type Pair[T] = tuple[T, T]\n", 1, (3, 12), id="a type alias"),
    pytest.param("def f[T = int](x: T): ...\n", 1, (3, 13), id="a type parameter with a default"),
    pytest.param('print(f"{names["a"]}")\n', 1, (3, 12), id="an f-string that nests its own quotes"),
]


@pytest.mark.parametrize(("text", "line", "version"), NEWER)
def test_the_version_is_named(text: str, line: int, version: tuple[int, int]) -> None:
    expected = ".".join(map(str, version)) if version > OURS else ""
    assert python_needed(text, line) == expected


@pytest.mark.parametrize(
    ("text", "line"),
    [
        pytest.param("def f(x:\n    return x\n", 1, id="a bracket that is not closed"),
        pytest.param("x = = 1\n", 1, id="no expression"),
        pytest.param("def f[T](x):\n    return x\n\ny = = 1\n\n\n\n\n\n\n\nz = )\n", 12, id="newer syntax elsewhere"),
        pytest.param('print(f"{x}")\nprint "x"\n', 2, id="an f-string of any version beside Python 2"),
        pytest.param("-" * 5_000, 1, id="more nested than a parser bears"),
    ],
)
def test_what_is_no_python_needs_none(text: str, line: int) -> None:
    assert python_needed(text, line) == ""


def test_the_refusal_says_which_python_would_do() -> None:
    found = parse("type Pair = tuple[int, int]\n", "m.py")
    refusal = (found.kind, found.line, found.message) if isinstance(found, Unreadable) else None
    words = f"needs the syntax of Python 3.12, and compilelint runs under {OURS[0]}.{OURS[1]}"
    assert refusal == (("newer", 1, words) if OURS < (3, 12) else None)
