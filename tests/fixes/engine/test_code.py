"""What a file's own style says: which quotes it has, and how long its lines are."""

from __future__ import annotations

import pytest

from compilelint.fixes import code_of
from compilelint.fixes.engine.code import Code
from compilelint.syntax.source import source_from_bytes
from compilelint.syntax.unreadable import Unreadable


def _code(text: str) -> Code:
    source = source_from_bytes("/p/model.py", text.encode())
    assert not isinstance(source, Unreadable)
    code = code_of(source)
    assert code is not None
    return code


@pytest.mark.parametrize(
    ("text", "quote"),
    [
        ("a = 'b'\nc = 'd'\ne = \"it's\"\n", "'"),
        ("a = 'b'\nc = \"d\"\n", '"'),
        ('"""One."""\na = \'b\'\n', "'"),
        ("'''One.'''\n", '"'),
        ("", '"'),
    ],
    ids=["most are single", "as many", "docstrings do not count", "not even single ones", "no string at all"],
)
def test_the_quote_is_that_of_most_strings(text: str, quote: str) -> None:
    assert _code(text).quote == quote


@pytest.mark.parametrize(("longest", "width"), [(20, 88), (100, 100), (300, 120)])
def test_lines_may_be_as_long_as_those_that_are_there(longest: int, width: int) -> None:
    assert _code("a = 1\n#" + "b" * (longest - 1) + "\n").width == width
