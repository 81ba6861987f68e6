"""Notebooks: what is code stays where it stands, what only IPython understands goes, and places are given by cell."""

from __future__ import annotations

import ast
import json
from pathlib import Path
from typing import Any

import pytest

from compilelint.model import Location, Span
from compilelint.syntax.notebooks import Notebook, notebook_from_bytes, read_notebook
from compilelint.syntax.unreadable import Unreadable


def written(*cells: str | list[str], **rest: Any) -> bytes:
    """A notebook of format 4; texts that begin with `#md` are Markdown cells."""
    made = [
        {"cell_type": "markdown" if str(cell).startswith("#md") else "code", "source": cell, "outputs": []}
        for cell in cells
    ]
    return json.dumps({"nbformat": 4, "metadata": {}, "cells": made, **rest}).encode()


def read(*cells: str | list[str], **rest: Any) -> Notebook:
    found = notebook_from_bytes("/p/n.ipynb", written(*cells, **rest))
    assert isinstance(found, Notebook)
    return found


def test_code_cells_are_one_text_and_lines_lead_back() -> None:
    found = read("import torch\n", "#md words", ["x = 1\n", "y = 2"], "z = 3")
    assert found.source.text == "import torch\n\nx = 1\ny = 2\nz = 3\n"
    assert [found.place(line) for line in (1, 2, 3, 4, 5)] == [(1, 1), (1, 2), (3, 1), (3, 2), (4, 1)]
    assert found.line(3, 2) == "y = 2"
    assert found.line(2, 1) == found.line(3, 9) == ""
    assert found.located(Location("/p/n.ipynb", Span(4, 1, 4, 6))) == Location("/p/n.ipynb", Span(2, 1, 2, 6), 3)


@pytest.mark.parametrize(
    ("cell", "shown"),
    [
        pytest.param("%matplotlib inline\nx = 1", "pass\nx = 1", id="line magic"),
        pytest.param("!pip install torch \\\n  --quiet\nx = 1", "pass\n\nx = 1", id="command on two lines"),
        pytest.param("if x:\n    !ls\n", "if x:\n    pass\n", id="indented command"),
        pytest.param("%time y = f(x)", "if 1: y = f(x)", id="timed statement"),
        pytest.param("%timeit -n 10 f(x)", "if 1:         f(x)", id="timed statement with options"),
        pytest.param("names = !ls\nrest = %env HOME", "names = None\nrest = None", id="assigned"),
        pytest.param("torch.nn?\n?torch\ntorch.*x??\n", "pass\npass\npass\n", id="help"),
        pytest.param("%%time\ny = f(x)", "\ny = f(x)", id="cell magic of Python"),
        pytest.param("%%bash\necho 'x\n", "\n\n", id="cell magic of another program"),
        pytest.param("x = (a\n  % b)\n%time f(x)", "x = (a\n  % b)\nif 1: f(x)", id="modulo in brackets"),
        pytest.param("x = '''\n%no magic\n'''", "x = '''\n%no magic\n'''", id="text that looks like magic"),
        pytest.param("x = a % b\nif x != 3: pass", "x = a % b\nif x != 3: pass", id="Python's own"),
    ],
)
def test_magics_go_and_the_rest_stays_in_place(cell: str, shown: str) -> None:
    found = read(cell)
    assert found.source.text == shown + "\n"
    assert found.refused == ()
    ast.parse(found.source.text)
    assert [found.line(1, number) for number in range(1, cell.count("\n") + 2)] == cell.split("\n")


def test_a_cell_that_is_no_python_is_reported_and_the_others_are_read() -> None:
    found = read("x = 1", "def f(:\n    pass", "y = 2")
    assert found.source.text == "x = 1\n\n\ny = 2\n"
    (refused,) = found.refused
    assert (refused.kind, found.place(refused.line), refused.column) == ("syntax", (2, 1), 7)


def test_a_notebook_of_another_language_has_nothing_to_lint() -> None:
    assert read("x <- 1", metadata={"language_info": {"name": "R"}}).source.text == "\n"
    assert read("x = 1", metadata={"kernelspec": {"language": "python"}}).cells == (1,)


def test_the_older_format_keeps_its_cells_in_worksheets() -> None:
    data = {"worksheets": [{"cells": [{"cell_type": "code", "input": ["a = 1\n", "b = 2"]}]}]}
    found = notebook_from_bytes("/p/n.ipynb", json.dumps(data).encode())
    assert isinstance(found, Notebook)
    assert found.source.text == "a = 1\nb = 2\n"


@pytest.mark.parametrize(
    ("data", "line", "message"),
    [
        (b'{"cells": [\n}', 2, "expecting value"),
        (b"[1]", 1, "it has no list of cells"),
        (b'{"cells": 1}', 1, "it has no list of cells"),
        (b"[" * 100_000, 1, "nested too deeply"),
        (b"\xff", 1, "byte 0xff is not utf-8"),
    ],
)
def test_what_is_no_notebook_is_refused(data: bytes, line: int, message: str) -> None:
    found = notebook_from_bytes("/p/n.ipynb", data)
    assert isinstance(found, Unreadable)
    assert (found.line, found.message) == (line, message)


@pytest.mark.parametrize("cell", [{}, {"cell_type": "code"}, {"cell_type": "code", "source": 1}, 1, None])
def test_odd_cells_are_passed_over(cell: Any) -> None:
    found = notebook_from_bytes("/p/n.ipynb", json.dumps({"cells": [cell]}).encode())
    assert isinstance(found, Notebook)
    assert found.source.text.strip() == ""


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    found = read_notebook(str(tmp_path / "gone.ipynb"))
    assert isinstance(found, Unreadable)
    assert found.kind == "missing"
