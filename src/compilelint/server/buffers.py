"""What the client holds open: texts, versions, and notebooks as the cells that they are made of.

Buffers are kept here and not by pygls, which takes form feeds and line separators for ends of lines.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from urllib.parse import quote, unquote, urlsplit

from lsprotocol import types

from compilelint.server.positions import Encoding, split_lines
from compilelint.syntax.source import MAX_BYTES, Source, portable, source_from_bytes
from compilelint.syntax.unreadable import Unreadable


def path_of(uri: str) -> str:
    """The absolute path with `/` behind a `file:` URI; empty for any other."""
    parts = urlsplit(uri)
    if parts.scheme != "file":
        return ""
    path = unquote(parts.path)
    if os.name == "nt" and path[:1] == "/" and path[2:3] == ":":
        path = path[1:]
    elif parts.netloc and parts.netloc != "localhost":
        path = f"//{parts.netloc}{path}"
    return portable(path)


def document_path(uri: str) -> str:
    """The same of a document; empty for a folder too, which no client opens as a text unless it was made to."""
    path = path_of(uri)
    return "" if os.path.isdir(path) else path


def uri_of(path: str) -> str:
    """The `file:` URI of an absolute path."""
    return "file://" + quote(path if path.startswith("/") else f"/{path}", safe="/~@!$&'()*+,;=-._")


@dataclass(frozen=True, slots=True)
class Buffer:
    """One open text at one version. `uri` is as the client writes it: answers name it likewise.

    A text that no file may have is not kept: it is `too_large` until the client sends it whole again, and smaller.
    """

    uri: str
    path: str
    version: int | None
    text: str
    cell_of: str = ""  # the URI of the notebook, of a cell
    too_large: bool = False

    @property
    def lines(self) -> list[str]:
        """The lines without their ends."""
        return split_lines(self.text)

    def source(self) -> Source | Unreadable:
        """The text as a lint reads it."""
        if self.too_large:
            return Unreadable("too-large", self.path, f"larger than {MAX_BYTES // 1_000_000} MB")
        return source_from_bytes(self.path, self.text.encode("utf-8", "surrogatepass"))


@dataclass(frozen=True, slots=True)
class OpenNotebook:
    """A notebook: its cells in order, each its kind and, as a URI, its text."""

    uri: str
    path: str
    version: int
    cells: tuple[types.NotebookCell, ...]


class Buffers:
    """All that is open, changed as the client says."""

    def __init__(self) -> None:
        self.encoding = Encoding("utf-16")
        self._texts: dict[str, Buffer] = {}
        self._notebooks: dict[str, OpenNotebook] = {}

    def open(self, item: types.TextDocumentItem, cell_of: str = "") -> Buffer:
        """A text is open from now on."""
        found = Buffer(item.uri, document_path(item.uri), item.version, item.text, cell_of)
        return self._kept(found)

    def change(
        self, uri: str, version: int | None, changes: Iterable[types.TextDocumentContentChangeEvent]
    ) -> Buffer | None:
        """A text after some changes, one after the other; None where it is not open."""
        known = self._texts.get(uri)
        if known is None:
            return None
        found = replace(known, version=version)
        for one in changes:
            if isinstance(one, types.TextDocumentContentChangeWholeDocument) or not found.too_large:
                found = self._kept(replace(found, text=self._changed(found.text, one), too_large=False))
        return self._kept(found)

    def _kept(self, buffer: Buffer) -> Buffer:
        if len(buffer.text) > MAX_BYTES:
            buffer = replace(buffer, text="", too_large=True)
        self._texts[buffer.uri] = buffer
        return buffer

    def _changed(self, text: str, change: types.TextDocumentContentChangeEvent) -> str:
        if isinstance(change, types.TextDocumentContentChangeWholeDocument):
            return change.text
        lines = split_lines(text)
        begin, end = (
            _offset(text, lines, *self.encoding.place(lines, at)) for at in (change.range.start, change.range.end)
        )
        return text[:begin] + change.text + text[end:]

    def close(self, uri: str) -> Buffer | None:
        """A text is no longer open; what it was."""
        return self._texts.pop(uri, None)

    def get(self, uri: str) -> Buffer | None:
        """An open text."""
        return self._texts.get(uri)

    def versions(self) -> dict[str, int | None]:
        """The version of each open text by URI."""
        return {one.uri: one.version for one in list(self._texts.values())}

    def files(self) -> list[Buffer]:
        """The open texts that are files of their own."""
        return [one for one in list(self._texts.values()) if one.path and not one.cell_of]

    # ------------------------------------------------------------- notebooks

    def open_notebook(self, notebook: types.NotebookDocument, texts: Sequence[types.TextDocumentItem]) -> OpenNotebook:
        """A notebook is open from now on, and the texts of its cells."""
        for item in texts:
            self.open(item, notebook.uri)
        found = OpenNotebook(notebook.uri, document_path(notebook.uri), notebook.version, tuple(notebook.cells))
        self._notebooks[notebook.uri] = found
        return found

    def change_notebook(self, uri: str, version: int, change: types.NotebookDocumentChangeEvent) -> OpenNotebook | None:
        """A notebook after a change of its cells or their texts; None where it is not open."""
        known = self._notebooks.get(uri)
        if known is None:
            return None
        cells = list(known.cells)
        if change.cells is not None:
            if change.cells.structure is not None:
                array = change.cells.structure.array
                cells[array.start : array.start + array.delete_count] = array.cells or ()
                for item in change.cells.structure.did_open or ():
                    self.open(item, uri)
                for closed in change.cells.structure.did_close or ():
                    self.close(closed.uri)
            by_uri = {one.document: one for one in change.cells.data or ()}
            cells = [by_uri.get(one.document, one) for one in cells]
            for text in change.cells.text_content or ():
                self.change(text.document.uri, text.document.version, text.changes)
        found = self._notebooks[uri] = OpenNotebook(uri, known.path, version, tuple(cells))
        return found

    def close_notebook(self, uri: str) -> OpenNotebook | None:
        """A notebook and its cells are no longer open."""
        found = self._notebooks.pop(uri, None)
        for cell in () if found is None else found.cells:
            self.close(cell.document)
        return found

    def notebook(self, uri: str) -> OpenNotebook | None:
        """An open notebook."""
        return self._notebooks.get(uri)

    def notebooks(self) -> list[OpenNotebook]:
        """The open notebooks."""
        return [one for one in list(self._notebooks.values()) if one.path]

    def as_json(self, notebook: OpenNotebook) -> bytes:
        """What a file of the notebook would hold."""
        kinds = {types.NotebookCellKind.Code: "code", types.NotebookCellKind.Markup: "markdown"}
        cells = []
        for cell in notebook.cells:
            text = self._texts.get(cell.document)
            cells.append({"cell_type": kinds[cell.kind], "source": text.text if text else "", "metadata": {}})
        return json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": cells}).encode()


def _offset(text: str, lines: Sequence[str], line: int, column: int) -> int:
    """Where a line and a column, both from 1, lie in a text; ends of lines are one or two characters."""
    at = 0
    for one in lines[: line - 1]:
        at += len(one)
        at += 2 if text.startswith("\r\n", at) else 1
    return at + column - 1
