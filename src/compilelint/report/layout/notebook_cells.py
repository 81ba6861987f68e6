"""Where a place in a notebook's cell lies in the `.ipynb` file, which is what web sites show beside a finding."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from compilelint.model import Span
from compilelint.model.patterns import late_pattern

_ESCAPE = late_pattern(
    r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u[0-9a-fA-F]{4}|\\.|[^\\]", re.DOTALL
)
_SPACE = late_pattern(r"[ \t\r\n]*")
_DECODER = json.JSONDecoder()


class _Placed(str):
    """A JSON string that knows the offset of its first character in the file."""

    offset = 0


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
        _DECODER.decode(text)
    except (ValueError, RecursionError):
        return []
    cells = dict(_values(text, _skip(text, 0))).get("cells")
    if cells is None or text[cells] != "[":
        return []
    found = []
    for _, cell in _values(text, cells):
        source = dict(_values(text, cell)).get("source")
        starts = () if source is None else [at for _, at in _values(text, source)] if text[source] == "[" else (source,)
        found.append([_placed(text, at) for at in starts if text[at] == '"'])
    return found


def _values(text: str, start: int) -> Iterator[tuple[str, int]]:
    """Where the values of the object or array at `start` begin, each with its key ("" in an array); nothing elsewhere.

    The text is valid JSON: it was decoded as a whole before.
    """
    if text[start] not in "{[":
        return
    keyed = text[start] == "{"
    at = _skip(text, start + 1)
    while text[at] not in "]}":
        key = ""
        if keyed:
            key, at = _DECODER.raw_decode(text, at)
            at = _skip(text, _skip(text, at) + len(":"))
        yield key, at
        _, at = _DECODER.raw_decode(text, at)
        at = _skip(text, at)
        if text[at] == ",":
            at = _skip(text, at + 1)


def _skip(text: str, at: int) -> int:
    """The next offset without whitespace."""
    found = _SPACE.match(text, at)
    return at if found is None else found.end()


def _placed(text: str, start: int) -> _Placed:
    value, _ = _DECODER.raw_decode(text, start)
    found = _Placed(value)
    found.offset = start + 1
    return found
