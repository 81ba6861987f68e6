"""A place in a file as one integer: every IR node keeps one, 32 bytes where a tuple takes 72 and more."""

from __future__ import annotations

# Two 30-bit digits of a Python int hold nearly every place: line 20 bits, column 14, lines more 12, end column 14.
_WIDE = (1 << 30) - 1


def pack(line: int, column: int, end_line: int, end_column: int) -> int:
    """Fold a place into one integer. Columns are UTF-8 byte offsets from 0. What does not fit is a negative one."""
    more = end_line - line
    if column < 16384 and end_column < 16384 and line < 1048576 and 0 <= more < 4096:
        return (line << 40) | (column << 26) | (more << 14) | end_column
    return -((((((line << 30) | column) << 30) | end_line) << 30) | end_column)


def unpack(pos: int) -> tuple[int, int, int, int]:
    """The inverse of `pack`: line, byte column, end line, end byte column."""
    if pos >= 0:
        line = pos >> 40
        return line, (pos >> 26) & 16383, line + ((pos >> 14) & 4095), pos & 16383
    pos = -pos
    return pos >> 90, (pos >> 60) & _WIDE, (pos >> 30) & _WIDE, pos & _WIDE


def line_of(pos: int) -> int:
    """The first line of a packed place."""
    return unpack(pos)[0]


def code_points(text: str | None, column: int) -> int:
    """A UTF-8 byte offset as one in code points; `text` is None for a line of ASCII, where they are the same."""
    return column if text is None else len(text.encode("utf-8")[:column].decode("utf-8", "ignore"))
