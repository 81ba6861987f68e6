"""Texts as the client changes them."""

from __future__ import annotations

import json

import pytest
from lsprotocol import types

from compilelint.server.buffers import Buffers, path_of, uri_of
from compilelint.server.positions import Encoding
from compilelint.syntax.unreadable import Unreadable

URI = "file:///home/a%20b/m.py"


def change(line: int, start: int, end: int, text: str) -> types.TextDocumentContentChangePartial:
    return types.TextDocumentContentChangePartial(
        types.Range(types.Position(line, start), types.Position(line, end)), text
    )


@pytest.mark.parametrize(
    ("text", "one", "after"),
    [
        pytest.param("a\nb\n", change(1, 0, 1, "c"), "a\nc\n", id="a-line"),
        pytest.param("a\r\nb\r\n", change(1, 0, 1, "c"), "a\r\nc\r\n", id="windows-ends"),
        pytest.param("a\fb\nc", change(1, 0, 1, "d"), "a\fb\nd", id="a-form-feed-ends-no-line"),
        pytest.param("'😋' x", change(0, 5, 6, "y"), "'😋' y", id="two-units-a-character"),
        pytest.param("a", change(7, 0, 0, "!"), "a!", id="behind-the-end"),
    ],
)
def test_a_change_of_a_range(text: str, one: types.TextDocumentContentChangePartial, after: str) -> None:
    buffers = Buffers()
    buffers.open(types.TextDocumentItem(URI, "python", 1, text))
    changed = buffers.change(URI, 2, [one])
    assert changed is not None
    assert (changed.text, changed.version, changed.path) == (after, 2, "/home/a b/m.py")


def test_changes_come_one_after_the_other() -> None:
    buffers = Buffers()
    buffers.encoding = Encoding("utf-8")
    buffers.open(types.TextDocumentItem(URI, "python", 1, "ab"))
    changed = buffers.change(URI, 2, [change(0, 1, 2, "é"), change(0, 3, 3, "c")])
    assert changed is not None
    assert changed.text == "aéc"


@pytest.mark.parametrize("path", ["/a/b.py", "/a b/é#?.py", "/a/%20.py"])
def test_paths_and_uris(path: str) -> None:
    assert path_of(uri_of(path)) == path


def test_what_is_no_file_has_no_path() -> None:
    assert path_of("untitled:Untitled-1") == ""


def test_a_notebook_is_its_cells_in_order() -> None:
    buffers = Buffers()
    cells = [types.NotebookCell(types.NotebookCellKind.Code, f"nb:{name}") for name in "ab"]
    notebook = types.NotebookDocument("file:///n.ipynb", "jupyter-notebook", 1, cells)
    buffers.open_notebook(notebook, [types.TextDocumentItem(f"nb:{name}", "python", 1, f"{name} = 1") for name in "ab"])
    new = types.NotebookCell(types.NotebookCellKind.Code, "nb:c")
    moved = types.NotebookDocumentCellChangeStructure(
        types.NotebookCellArrayChange(0, 1, [new]),
        did_open=[types.TextDocumentItem("nb:c", "python", 1, "c = 2")],
        did_close=[types.TextDocumentIdentifier("nb:a")],
    )
    event = types.NotebookDocumentChangeEvent(cells=types.NotebookDocumentCellChanges(structure=moved))
    found = buffers.change_notebook("file:///n.ipynb", 2, event)
    assert found is not None
    written = json.loads(buffers.as_json(found))
    assert [one["source"] for one in written["cells"]] == ["c = 2", "b = 1"]


def test_a_text_that_no_file_may_have_is_not_kept() -> None:
    """30 MB in an editor took 9 GB. What is small again, sent whole, is linted again."""
    buffers = Buffers()
    opened = buffers.open(types.TextDocumentItem(URI, "python", 1, "x\n" * 3_000_000))
    assert (opened.text, opened.too_large) == ("", True)
    refused = opened.source()
    assert isinstance(refused, Unreadable)
    assert (refused.kind, refused.message) == ("too-large", "larger than 5 MB")
    edited = buffers.change(URI, 2, [change(0, 0, 1, "y")])
    assert edited is not None
    assert (edited.text, edited.too_large, edited.version) == ("", True, 2)
    whole = types.TextDocumentContentChangeWholeDocument("z = 1\n")
    small = buffers.change(URI, 3, [whole, change(0, 0, 1, "y")])
    assert small is not None
    assert (small.text, small.too_large, small.version) == ("y = 1\n", False, 3)
    grown = buffers.change(URI, 4, [change(0, 0, 0, "#" * 6_000_000)])
    assert grown is not None
    assert grown.too_large
