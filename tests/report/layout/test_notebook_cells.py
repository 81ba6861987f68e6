"""A cell's place in the file: the characters there are those of the cell, however the JSON writes them."""

from __future__ import annotations

import json
from typing import Any

import pytest

from compilelint.model import Span
from compilelint.report.layout.notebook_cells import Notebook

CELLS: list[dict[str, Any]] = [
    {"cell_type": "markdown", "metadata": {}, "source": ["# `if` in a title\n", "text"]},
    {
        "cell_type": "code",
        "metadata": {"source": ["a trap"]},
        "outputs": [{"text": ["x.item()\n"]}],
        "source": ["def f(x):\n", '    """é 😀 \t"""\n', "    return x.item()\n", "\n", "f(1)"],
    },
    {"cell_type": "code", "metadata": {}, "outputs": [], "source": "one = 'piece'\ny = x.item()\n"},
]
FORMS: dict[str, dict[str, Any]] = {
    "as Jupyter writes it": {"indent": 1, "ensure_ascii": False},
    "escaped": {"indent": 1, "ensure_ascii": True},
    "on one line": {},
}


def text_at(text: str, span: Span) -> str:
    lines = text.split("\n")
    assert span.line == span.end_line
    return lines[span.line - 1][span.column - 1 : span.end_column - 1]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    ("cell", "span", "expected"),
    [
        pytest.param(2, Span(1, 5, 1, 6), "f", id="first line"),
        pytest.param(2, Span(3, 12, 3, 20), "x.item()", id="after a line of emoji"),
        pytest.param(2, Span(5, 1, 5, 5), "f(1)", id="last line, without its end"),
        pytest.param(3, Span(2, 5, 2, 13), "x.item()", id="a source of one piece"),
        pytest.param(1, Span(1, 3, 1, 7), "`if`", id="text cells count"),
    ],
)
def test_the_place_holds_the_text_of_the_cell(form: str, cell: int, span: Span, expected: str) -> None:
    text = json.dumps({"cells": CELLS, "metadata": {}, "nbformat": 4}, **FORMS[form])
    found = Notebook(text).span(cell, span)
    assert found is not None
    assert text_at(text, found) == expected


def test_columns_behind_escapes_are_those_of_the_file() -> None:
    text = json.dumps({"cells": [{"source": ['s = "é😀\\n"; x.item()\n']}]}, indent=1, ensure_ascii=True)
    column = 's = "é😀\\n"; x'.index("x") + 1
    found = Notebook(text).span(1, Span(1, column, 1, column + 8))
    assert found is not None
    assert text_at(text, found) == "x.item()"


def test_lines_are_those_of_the_file() -> None:
    text = json.dumps({"cells": CELLS}, indent=1)
    found = Notebook(text).span(2, Span(3, 12, 3, 20))
    assert found is not None
    assert "return x.item()" in text.split("\n")[found.line - 1]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        "[" * 100_000,
        '{"cells": 1}',
        '{"cells": [1, {"source": 2}, {"source": [3]}]}',
        json.dumps({"cells": CELLS[:1]}),
    ],
)
def test_what_is_not_there_has_no_place(text: str) -> None:
    assert Notebook(text).span(3, Span(1, 1, 1, 2)) is None
    assert Notebook(json.dumps({"cells": CELLS})).span(2, Span(99, 1, 99, 2)) is None
