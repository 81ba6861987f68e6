"""Code points from 1 and code units from 0, there and back, in all three encodings."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lsprotocol import types

from compilelint.model import Span
from compilelint.server.positions import Encoding, split_lines

LINE = "a = '😋é' + x"


@pytest.mark.parametrize(
    ("name", "column"),
    [("utf-8", 11), ("utf-16", 8), ("utf-32", 7)],
)
def test_a_range_behind_an_emoji(name: str, column: int) -> None:
    span = Span(1, LINE.index("'", 5) + 1, 1, LINE.index("'", 5) + 2)
    found = Encoding(name).range([LINE], span)
    assert found.start == types.Position(0, column)
    assert Encoding(name).place([LINE], found.start) == (1, span.column)


@given(
    st.text(st.characters(exclude_characters="\r\n"), max_size=30),
    st.integers(0, 30),
    st.sampled_from(["utf-8", "utf-16", "utf-32"]),
)
def test_there_and_back(line: str, column: int, name: str) -> None:
    column = min(column, len(line)) + 1
    encoding = Encoding(name)
    assert encoding.place([line], encoding.position([line], 1, column)) == (1, column)


def test_only_what_the_protocol_calls_one_ends_a_line() -> None:
    assert split_lines("a\fb\u2028c\r\nd\re\n") == ["a\fb\u2028c", "d", "e", ""]


def test_behind_the_end_is_the_end() -> None:
    assert Encoding("utf-16").place(["ab", "c"], types.Position(0, 9)) == (1, 3)
    assert Encoding("utf-16").place(["ab", "c"], types.Position(9, 0)) == (2, 2)
