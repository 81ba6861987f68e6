"""Pragmas are written where they work, and nothing but their lines changes."""

from __future__ import annotations

import pytest

from compilelint.syntax.add_ignore import with_ignores


@pytest.mark.parametrize(
    ("before", "line", "after"),
    [
        pytest.param("x.item()\n", 1, "x.item()  # compilelint: ignore[CL102]\n", id="plain"),
        pytest.param("x.item()", 1, "x.item()  # compilelint: ignore[CL102]", id="no line end"),
        pytest.param("x.item()  \n", 1, "x.item()  # compilelint: ignore[CL102]\n", id="blanks at the end"),
        pytest.param("x.item()  # why\n", 1, "x.item()  # why  # compilelint: ignore[CL102]\n", id="another comment"),
        pytest.param(
            "f(\n  x.item(),\n)\ny\n", 2, "f(\n  x.item(),\n)  # compilelint: ignore[CL102]\ny\n", id="brackets"
        ),
        pytest.param("a = \\\n  x.item()\n", 1, "a = \\\n  x.item()  # compilelint: ignore[CL102]\n", id="backslash"),
        pytest.param(
            'f"""{x.item()}\n"""\n',
            1,
            'f"""{x.item()}\n"""  # compilelint: ignore[CL102]\n',
            id="a string on two lines",
        ),
        pytest.param(
            "if (a and\n    x.item()):\n    y\n",
            2,
            "if (a and\n    x.item()):  # compilelint: ignore[CL102]\n    y\n",
            id="the header of a block",
        ),
        pytest.param(
            "x.item()  # compilelint: ignore[CL101] known\n",
            1,
            "x.item()  # compilelint: ignore[CL101, CL102] known\n",
            id="joins a list",
        ),
    ],
)
def test_the_pragma_stands_at_the_end_of_the_statement(before: str, line: int, after: str) -> None:
    assert with_ignores("/p/m.py", before.encode(), {line: {"CL102"}}) == (after.encode(), 0)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param(
            b"\xef\xbb\xbfa\r\nx.item()\r\n",
            b"\xef\xbb\xbfa\r\nx.item()  # compilelint: ignore[CL102] later\r\n",
            id="mark and CRLF",
        ),
        pytest.param(b"a\rx.item()\rb\n", b"a\rx.item()  # compilelint: ignore[CL102] later\rb\n", id="mixed ends"),
        pytest.param(
            b"# coding: latin-1\nx.item('\xe9')\n",
            b"# coding: latin-1\nx.item('\xe9')  # compilelint: ignore[CL102] later\n",
            id="latin-1",
        ),
    ],
)
def test_bytes_stay_as_they_are(before: bytes, after: bytes) -> None:
    assert with_ignores("/p/m.py", before, {2: {"CL102"}}, "later") == (after, 0)


def test_codes_of_one_statement_share_a_pragma() -> None:
    text = b"f(\n  x.item(),\n  x.any(),\n)\n"
    written, failed = with_ignores("/p/m.py", text, {2: {"CL102"}, 3: {"CL101"}})
    assert written.endswith(b")  # compilelint: ignore[CL101, CL102]\n")
    assert failed == 0


def test_writing_twice_changes_nothing_more() -> None:
    once, _ = with_ignores("/p/m.py", b"x.item()\n", {1: {"CL102"}})
    assert with_ignores("/p/m.py", once, {1: {"CL102"}}) == (once, 0)


def test_what_cannot_be_silenced_is_counted() -> None:
    assert with_ignores("/p/m.py", b"x.item()\n", {7: {"CL102"}}) == (b"x.item()\n", 1)
    assert with_ignores("/p/m.py", b"\xff", {1: {"CL101", "CL102"}}) == (b"\xff", 2)


def test_a_reason_that_the_encoding_lacks_is_refused() -> None:
    with pytest.raises(UnicodeEncodeError):
        with_ignores("/p/m.py", b"# coding: latin-1\nx.item()\n", {2: {"CL102"}}, "中")
