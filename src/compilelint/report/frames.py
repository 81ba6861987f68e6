"""Code frames: the lines of a finding with its spans underlined, in the manner of rustc.

A frame is laid out here as plain data (`Row`); colours are the console's business. Underlines are measured in terminal
cells of what is shown, so wide characters, tabs and escaped control characters stay aligned.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from rich.cells import cell_len

from compilelint.model import Finding, Location, Span
from compilelint.report.text import display, escaped

# Lines of a finding that are shown; a longer span goes on behind an ellipsis.
_MOST_LINES = 3


@dataclass(frozen=True, slots=True)
class Mark:
    """An underline: from cell `start`, `width` cells wide, with a note behind it."""

    start: int
    width: int
    primary: bool
    note: str


@dataclass(frozen=True, slots=True)
class Row:
    """A shown line of source and what is marked in it; `number` is 0 for a gap between lines."""

    number: int
    text: str
    marks: tuple[Mark, ...]


@dataclass(frozen=True, slots=True)
class Frame:
    """The rows of one file; `location` is what its head names."""

    location: Location
    rows: tuple[Row, ...]


def frames(finding: Finding, line_of: Callable[[str, int], str]) -> list[Frame]:
    """The finding's own file first, then the files of its related places. `line_of` gives a line's text by number."""
    by_path: dict[str, list[tuple[Location, bool, str]]] = {finding.location.path: [(finding.location, True, "")]}
    for related in finding.related:
        entry = (related.location, False, related.text)
        by_path.setdefault(related.location.path, []).append(entry)
    return [_frame(places, line_of) for places in by_path.values()]


def _frame(places: Sequence[tuple[Location, bool, str]], line_of: Callable[[str, int], str]) -> Frame:
    head = places[0][0]
    texts: dict[int, str] = {}
    marks: dict[int, list[Mark]] = {}
    for location, primary, note in places:
        span = location.span
        last = span.line + min(max(span.end_line - span.line, 0), _MOST_LINES - 1)
        for number in range(span.line, last + 1):
            text = texts.setdefault(number, line_of(location.path, number))
            ends = number == last
            cut = ends and last < span.end_line
            told = f"{note} ..." if cut else note
            mark = _mark(text, span, number, primary, told.strip() if ends else "")
            if mark is not None:
                marks.setdefault(number, []).append(mark)
    return Frame(head, tuple(_rows(texts, marks)))


def _rows(texts: dict[int, str], marks: dict[int, list[Mark]]) -> Iterable[Row]:
    before = 0
    for number in sorted(texts):
        if before and number > before + 1:
            yield Row(0, "", ())
        before = number
        # The primary mark first; others get lines of their own, so that no note is written over another.
        here = sorted(marks.get(number, ()), key=lambda mark: (not mark.primary, mark.start))
        yield Row(number, "".join(display(texts[number])), tuple(here))


def _mark(text: str, span: Span, number: int, primary: bool, note: str) -> Mark | None:
    """The part of `span` on one line; None for a line of a longer span that holds nothing of it."""
    shown = display(text)
    first = span.column - 1 if number == span.line else len(text) - len(text.lstrip())
    last = span.end_column - 1 if number == span.end_line else len(text.rstrip())
    if number != span.line and last <= first:
        return None
    start = cell_len("".join(shown[:first]))
    width = cell_len("".join(shown[:last])) - start
    return Mark(start, max(width, 1), primary, escaped(note))
