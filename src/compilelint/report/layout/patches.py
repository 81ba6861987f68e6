"""A fix as the lines it takes away and puts in."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from compilelint.model import Edit, Fix, Location
from compilelint.model.slotted import dataclass


@dataclass(frozen=True, slots=True)
class ChangedLine:
    """A line of a diff; `number` is its number before the fix, `path` its file where that is not the finding's."""

    number: int
    removed: bool
    text: str
    path: str = ""


def changed_lines(fix: Fix, place: Location, line_of: Callable[[Location, int], str]) -> list[ChangedLine]:
    """The lines that the fix changes, as a unified diff has them: each run of old ones before all that replace it.

    Those of the finding's file come first.
    """
    by_file = fix.by_file(place.path)
    found = _of_one_file(by_file.pop(place.path, ()), place, line_of)
    for path, edits in by_file.items():
        there = _of_one_file(edits, Location(path, edits[0].span), line_of)
        found += [replace(line, path=path) for line in there]
    return found


def _of_one_file(edits: Sequence[Edit], place: Location, line_of: Callable[[Location, int], str]) -> list[ChangedLine]:
    found: list[ChangedLine] = []
    # Edits on lines that follow each other are one run; from below, an edit leaves those above where they are.
    runs: list[list[int]] = []
    for edit in sorted(edits, key=lambda edit: edit.span):
        if runs and edit.span.line <= runs[-1][1] + 1:
            runs[-1][1] = max(runs[-1][1], edit.span.end_line)
        else:
            runs.append([edit.span.line, edit.span.end_line])
    for first, last in runs:
        old = [line_of(place, number) for number in range(first, last + 1)]
        new = list(old)
        for edit in sorted(edits, key=lambda edit: edit.span, reverse=True):
            span = edit.span
            if first <= span.line <= last:
                start, end = span.line - first, span.end_line - first
                text = new[start][: span.column - 1] + edit.text + new[end][span.end_column - 1 :]
                new[start : end + 1] = text.split("\n")
        same = 0  # lines at the top that stay as they are
        while same < min(len(old), len(new)) and old[same] == new[same]:
            same += 1
        while len(old) > same < len(new) and old[-1] == new[-1]:  # and at the end
            old, new = old[:-1], new[:-1]
        found += [ChangedLine(first + at, True, text) for at, text in enumerate(old) if at >= same]
        put = new[same:]
        while put and not put[-1].strip():  # what an edit emptied is gone, as a reader sees it
            put.pop()
        found += [ChangedLine(first + same + at, False, text) for at, text in enumerate(put)]
    return found
