"""Findings in loops, and behind a switch that is off: what the blocks around them are, each file parsed once.

Of a file only ranges of lines are kept, since the trees of a large project take gigabytes. Does not belong here: what
is a loop (`loops`), and what is a switch (`off_by_default`).
"""

from __future__ import annotations

import ast
import warnings
from collections.abc import Iterable

from compilelint.model import Finding, Location
from compilelint.report.layout.quoted import Lines
from compilelint.report.overview.loops import Loops, loops_of
from compilelint.report.overview.off_by_default import Off, switched_off


class Blocks:
    """The blocks of source files. Cells of notebooks and files that cannot be read any more have none."""

    def __init__(self, lines: Lines, off: Iterable[tuple[str, int, int, str]] = ()) -> None:
        """`off` are lines behind switches that the whole project leaves off, beside those that a file alone shows."""
        self._lines = lines
        self._off: dict[str, list[tuple[int, int, str]]] = {}
        for path, first, last, name in off:
            self._off.setdefault(path, []).append((first, last, name))
        self._known: dict[str, tuple[Loops, Off]] = {}

    def repeats(self, finding: Finding) -> bool:
        """Whether the line of a finding, or a call on the way to it, stands in a `for` or `while` of its function."""
        return any(first <= at.span.line <= last for at in _places(finding) for first, last in self._of(at)[0])

    def switch(self, finding: Finding) -> str:
        """The switch that a finding, or a call on the way to it, is behind, by its name; empty where it runs anyway."""
        return next(
            (name for at in _places(finding) for first, last, name in self._of(at)[1] if first <= at.span.line <= last),
            "",
        )

    def _of(self, at: Location) -> tuple[Loops, Off]:
        if at.cell is not None:
            return (), ()
        if at.path not in self._known:
            tree = parsed(self._lines.text(at))
            self._known[at.path] = loops_of(tree), (*self._off.get(at.path, ()), *switched_off(tree))
        return self._known[at.path]


def _places(finding: Finding) -> tuple[Location, ...]:
    return finding.location, *(site.location for site in finding.call_chain)


def parsed(text: str) -> ast.Module:
    """The tree of a file; an empty one for what is not Python."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # invalid escapes in linted code are not ours to print
            return ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ast.Module([], [])
