"""Where a place in a notebook's cell lies in the `.ipynb` file, which is what web sites show beside a finding."""

from __future__ import annotations

import json
import re
from json.decoder import scanstring  # type: ignore[attr-defined]  # missing in typeshed
from json.scanner import py_make_scanner  # type: ignore[attr-defined]
from typing import Any

from compilelint.model import Span

_ESCAPE = re.compile(
    r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u[0-9a-fA-F]{4}|\\.|[^\\]", re.DOTALL
)


class _Placed(str):
    """A JSON string that knows the offset of its first character in the file."""

    offset = 0


class _PlacingDecoder(json.JSONDecoder):
    """A decoder whose string values are `_Placed`. The scanner in C asks nobody, so the one in Python is taken."""

    def __init__(self) -> None:
        super().__init__()
        self.parse_string = _placed
        self.scan_once = py_make_scanner(self)


def _placed(text: str, start: int, strict: bool = True) -> tuple[_Placed, int]:
    value, end = scanstring(text, start, strict)
    found = _Placed(value)
    found.offset = start
    return found, end


class Notebook:
    """One file; `text` is its JSON. A text that is no notebook has no places."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._cells = _sources(text)

    def span(self, cell: int, span: Span) -> Span | None:
        """The place of a cell's span in the file, None where the file has no such place (any more)."""
        start = self._offset(cell, span.line, span.column)
        end = self._offset(cell, span.end_line, span.end_column)
        if start is None or end is None:
            return None
        return Span(*self._place(start), *self._place(end))

    def _offset(self, cell: int, line: int, column: int) -> int | None:
        """The offset of a 1-based line and column of a 1-based cell."""
        if not 0 < cell <= len(self._cells):
            return None
        left = line - 1
        for piece in self._cells[cell - 1]:
            ends = piece.count("\n")
            # Nearly always a piece is a line; its line end belongs to it, and what follows to the next piece.
            if left < ends or (left == ends and not piece.endswith("\n")):
                before = "\n".join(piece.split("\n")[:left])
                return self._within(piece, len(before) + (1 if left else 0) + column - 1)
            left -= ends
        return None

    def _within(self, piece: _Placed, characters: int) -> int:
        """The offset behind so many characters of a piece, each of which may be an escape of up to twelve."""
        offset = piece.offset
        for _ in range(characters):
            found = _ESCAPE.match(self._text, offset)
            if found is None or self._text[offset] == '"':
                break
            offset = found.end()
        return offset

    def _place(self, offset: int) -> tuple[int, int]:
        line = self._text.count("\n", 0, offset) + 1
        return line, offset - self._text.rfind("\n", 0, offset)


def _sources(text: str) -> list[list[_Placed]]:
    """The pieces of source of every cell, in the order of the file."""
    try:
        document: Any = _PlacingDecoder().decode(text)
    except (ValueError, RecursionError):
        return []
    cells = document.get("cells") if isinstance(document, dict) else None
    found = []
    for cell in cells if isinstance(cells, list) else ():
        source = cell.get("source") if isinstance(cell, dict) else None
        pieces = source if isinstance(source, list) else [source]
        found.append([piece for piece in pieces if isinstance(piece, _Placed)])
    return found
