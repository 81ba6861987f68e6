"""Places of the analysis and of the protocol: code points from 1 there, code units from 0 here.

A line ends where Python's tokenizer and the protocol say (`\\n`, `\\r\\n`, `\\r`) and nowhere else: a form feed or a
line separator stands within a line, which `str.splitlines` does not know.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from lsprotocol import types

from compilelint.model import Span

_LINE_END = re.compile(r"\r\n|\n|\r")


def split_lines(text: str) -> list[str]:
    """The lines of a text, without their ends."""
    return _LINE_END.split(text)


def _utf16(character: str) -> int:
    return 2 if ord(character) > 0xFFFF else 1


def _utf8(character: str) -> int:
    return len(character.encode("utf-8", "surrogatepass"))


_WIDTHS: dict[str, Callable[[str], int] | None] = {
    types.PositionEncodingKind.Utf8.value: _utf8,
    types.PositionEncodingKind.Utf16.value: _utf16,
    types.PositionEncodingKind.Utf32.value: None,
}


class Encoding:
    """How a client counts along a line: `utf-8`, `utf-16` or `utf-32` units; anything else is `utf-16`."""

    def __init__(self, name: str) -> None:
        self.name = name if name in _WIDTHS else types.PositionEncodingKind.Utf16.value
        self._width = _WIDTHS[self.name]

    def units(self, line: str, points: int) -> int:
        """How many units the first code points of a line take."""
        head = line[:points]
        if self._width is None or head.isascii():
            return len(head)
        return sum(map(self._width, head))

    def points(self, line: str, units: int) -> int:
        """How many code points so many units are; what lies within a character counts as before it."""
        if self._width is None or line.isascii():
            return min(units, len(line))
        taken = 0
        for number, character in enumerate(line):
            taken += self._width(character)
            if taken > units:
                return number
        return len(line)

    def position(self, lines: Sequence[str], line: int, column: int) -> types.Position:
        """The protocol's position of a line and a column, both from 1."""
        text = lines[line - 1] if 0 < line <= len(lines) else ""
        return types.Position(max(line - 1, 0), self.units(text, max(column - 1, 0)))

    def range(self, lines: Sequence[str], span: Span) -> types.Range:
        """The protocol's range of a span."""
        return types.Range(
            self.position(lines, span.line, span.column), self.position(lines, span.end_line, span.end_column)
        )

    def place(self, lines: Sequence[str], position: types.Position) -> tuple[int, int]:
        """Line and column, both from 1, of a position; one behind the end of a line or text means that end."""
        if position.line >= len(lines):
            return len(lines), len(lines[-1]) + 1
        return position.line + 1, self.points(lines[position.line], position.character) + 1
