"""A place in a file as one integer: every IR node keeps one, 32 bytes where a tuple takes 72 and more.

Places of one file compare as they stand in it. The lines of a file that is being edited may be numbered otherwise than
from 1 on (`line_numbers`): then a line that is put in changes the numbers of no other.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

# Two 30-bit digits of a Python int hold nearly every place: line 20 bits, column 14, lines more 12, end column 14.
# What does not fit takes four numbers of 30 bits; its line, which is at least 1, sets it apart from the others.
_WIDE = (1 << 30) - 1
_NARROW = 1 << 60

_numbers: Sequence[int] | None = None


def pack(line: int, column: int, end_line: int, end_column: int) -> int:
    """Fold a place into one integer. Columns are UTF-8 byte offsets from 0, lines as they stand in the text."""
    if _numbers is not None:
        return (((((_numbers[line - 1] << 30) | column) << 30) | _numbers[end_line - 1]) << 30) | end_column
    more = end_line - line
    if column < 16384 and end_column < 16384 and line < 1048576 and 0 <= more < 4096:
        return (line << 40) | (column << 26) | (more << 14) | end_column
    return (((((line << 30) | column) << 30) | end_line) << 30) | end_column


def unpack(pos: int) -> tuple[int, int, int, int]:
    """The inverse of `pack`: line, byte column, end line, end byte column; lines by their numbers."""
    if pos < _NARROW:
        line = pos >> 40
        return line, (pos >> 26) & 16383, line + ((pos >> 14) & 4095), pos & 16383
    return pos >> 90, (pos >> 60) & _WIDE, (pos >> 30) & _WIDE, pos & _WIDE


def line_of(pos: int) -> int:
    """The number of the first line of a packed place."""
    return unpack(pos)[0]


@contextmanager
def numbered(numbers: Sequence[int] | None) -> Iterator[None]:
    """Places that are packed inside go by these numbers of the lines of their file; None numbers them from 1 on."""
    global _numbers  # noqa: PLW0603 - one text is lowered at a time, and packing is its hottest line
    before, _numbers = _numbers, numbers
    try:
        yield
    finally:
        _numbers = before


def code_points(text: str | None, column: int) -> int:
    """A UTF-8 byte offset as one in code points; `text` is None for a line of ASCII, where they are the same."""
    return column if text is None else len(text.encode("utf-8")[:column].decode("utf-8", "ignore"))
