"""Code frames: the lines of a finding with its spans underlined, in the manner of rustc.

A frame is laid out here as plain data (`Row`, and under it rows of `Piece`s); colours are the console's business.
Underlines are measured in terminal cells of what is shown, so wide characters, tabs and escaped control characters stay
aligned. A span of several lines is underlined on its first; the lines after it are quoted, three in all at most.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace

from compilelint.model import Finding, Location, Span
from compilelint.model.slotted import dataclass
from compilelint.report.layout.styled import cell_len
from compilelint.report.layout.text import display, escaped

# Lines of a finding that are shown; a longer span goes on behind an ellipsis.
_MOST_LINES = 3
# Cells that stay in front of the first mark where a line is cut.
_BEFORE = 4


@dataclass(frozen=True, slots=True)
class Mark:
    """An underline: from cell `start`, `width` cells wide, with a note to it."""

    start: int
    width: int
    primary: bool
    note: str

    @property
    def end(self) -> int:
        """The first cell behind it."""
        return self.start + self.width


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of a row under a line of source: what is printed from cell `start` on, and in whose colour."""

    start: int
    text: str
    primary: bool


@dataclass(frozen=True, slots=True)
class Row:
    """A shown line of source and what is marked in it; `number` is 0 for a gap between lines."""

    number: int
    text: str
    marks: tuple[Mark, ...]


@dataclass(frozen=True, slots=True)
class Frame:
    """The rows of one file, or of one cell of a notebook; `location` is what its head names."""

    location: Location
    rows: tuple[Row, ...]


_Entry = tuple[Location, bool, str]


def frames(
    finding: Finding, line_of: Callable[[Location, int], str], more: Iterable[tuple[Location, str]] = ()
) -> list[Frame]:
    """The finding's own file first, then the files of its related places.

    `line_of` gives a line of a place's file by number. `more` holds places of the same finding elsewhere in its file,
    which are marked like its own.
    """
    by_file: dict[tuple[str, int | None], list[_Entry]] = {_file(finding.location): [(finding.location, True, "")]}
    for location, note in more:
        by_file.setdefault(_file(location), []).append((location, True, note))
    for related in finding.related:
        by_file.setdefault(_file(related.location), []).append((related.location, False, related.text))
    return [_frame(places, line_of) for places in by_file.values()]


def _file(location: Location) -> tuple[str, int | None]:
    return location.path, location.cell


def _frame(places: Sequence[_Entry], line_of: Callable[[Location, int], str]) -> Frame:
    head = places[0][0]
    texts: dict[int, str] = {}
    marks: dict[int, dict[tuple[int, int, bool], Mark]] = {}
    for location, primary, note in places:
        span = location.span
        more = max(span.end_line - span.line, 0)
        for number in range(span.line, span.line + (min(more, _MOST_LINES - 1) if primary else 0) + 1):
            texts.setdefault(number, line_of(location, number))
        label = f"{note} ..." if note and more else note
        mark = _mark(texts[span.line], span, primary, label)
        known = marks.setdefault(span.line, {}).setdefault((mark.start, mark.width, primary), mark)
        if known is not mark and mark.note and mark.note not in known.note.split("; "):
            joined = "; ".join(filter(None, (known.note, mark.note)))
            marks[span.line][mark.start, mark.width, primary] = replace(known, note=joined)
    return Frame(head, tuple(_rows(texts, {number: list(found.values()) for number, found in marks.items()})))


def _rows(texts: dict[int, str], marks: dict[int, list[Mark]]) -> Iterator[Row]:
    before = 0
    for number in sorted(texts):
        if before and number > before + 1:
            yield Row(0, "", ())
        before = number
        here = sorted(marks.get(number, ()), key=lambda mark: (not mark.primary, mark.start))
        yield Row(number, "".join(display(texts[number])), tuple(here))


def _mark(text: str, span: Span, primary: bool, note: str) -> Mark:
    """The part of `span` on its first line."""
    shown = display(text)
    last = span.end_column - 1 if span.end_line == span.line else len(text.rstrip())
    start = cell_len("".join(shown[: span.column - 1]))
    width = cell_len("".join(shown[:last])) - start
    return Mark(start, max(width, 1), primary, escaped(note))


# --------------------------------------------------------------------- layout


def underlined(marks: Sequence[Mark], room: int | None = None) -> list[list[Piece]]:
    """The rows of text under a line of source.

    All marks share one row; a short mark is drawn over a long one. The note of the rightmost stands behind it if there
    is room (in cells), those of the others hang below on a bar, the leftmost lowest.
    """
    if not marks:
        return []
    beside = max(marks, key=lambda mark: (mark.end, mark.start, bool(mark.note)))
    fits = room is None or beside.end + 1 + cell_len(beside.note) <= room
    below = [mark for mark in marks if mark.note and not (fits and mark is beside)]
    below.sort(key=lambda mark: mark.start)
    first = _line(marks)
    if beside.note and fits:
        first.append(Piece(beside.end + 1, beside.note, beside.primary))
    rows = [first]
    if below:
        rows.append(_bars(below))
    while below:
        mark = below.pop()
        start = mark.start if room is None else max(min(mark.start, room - cell_len(mark.note)), 0)
        rows.append([*_bars([one for one in below if one.start < start]), Piece(start, mark.note, mark.primary)])
    return rows


def fitted(rows: Sequence[Row], room: int | None) -> Iterator[Row]:
    """The rows cut to `room` cells around what is marked, with an ellipsis where something is left out."""
    for row in rows:
        if room is None or cell_len(row.text) <= room:
            yield row
            continue
        start = min((mark.start for mark in row.marks), default=0)
        end = max((mark.end for mark in row.marks), default=0)
        left = 0 if end < room else max(min(start - _BEFORE, end - room + 1), 0)
        shown = _cut(row.text, left, room)
        marks = tuple(
            replace(mark, start=mark.start - left, width=max(min(mark.width, room - (mark.start - left)), 1))
            for mark in row.marks
            if mark.start - left < room
        )
        yield Row(row.number, shown, marks)


def _cut(text: str, left: int, room: int) -> str:
    """The cells from `left` on that fit, the outermost of them an ellipsis where something is missing."""
    at, shown = 0, ""
    first = left + 1 if left else 0
    last = left + room - 1 if cell_len(text) > left + room else left + room
    for character in text:
        width = cell_len(character)
        if at >= first and at + width <= last:
            shown += character
        elif at < first < at + width:
            shown += " " * (at + width - first)  # half of a wide character
        at += width
    return ("…" if left else "") + shown + ("…" if cell_len(text) > left + room else "")


def _line(marks: Sequence[Mark]) -> list[Piece]:
    """The underlines in one row, as stretches of one colour."""
    cells: dict[int, tuple[str, bool]] = {}
    for mark in sorted(marks, key=lambda mark: (-mark.width, mark.primary)):
        cells.update((cell, ("^" if mark.primary else "-", mark.primary)) for cell in range(mark.start, mark.end))
    found: list[tuple[int, list[str], bool]] = []
    for cell, (sign, primary) in sorted(cells.items()):
        if found and found[-1][2] is primary and found[-1][0] + len(found[-1][1]) == cell:
            found[-1][1].append(sign)
        else:
            found.append((cell, [sign], primary))
    return [Piece(start, "".join(signs), primary) for start, signs, primary in found]


def _bars(marks: Sequence[Mark]) -> list[Piece]:
    return [Piece(start, "|", primary) for start, primary in {mark.start: mark.primary for mark in marks}.items()]
