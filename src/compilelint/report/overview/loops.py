"""Which lines run many times a call: those in a loop, and those of functions that are called from one."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TypeAlias

from compilelint.model import Finding, Location
from compilelint.report.layout.quoted import Lines

_Loops: TypeAlias = tuple[tuple[int, int], ...]


def in_loops(lines: Lines) -> Callable[[Finding], bool]:
    """Whether the line of a finding, or a call on the way to it, stands in a `for` or `while` of its function.

    Cells of notebooks and files that cannot be read any more have no loops.
    """
    known: dict[str, _Loops] = {}

    def repeats(at: Location) -> bool:
        if at.cell is not None:
            return False
        if at.path not in known:
            known[at.path] = loops_of(lines.text(at))
        return any(first <= at.span.line <= last for first, last in known[at.path])

    return lambda finding: any(map(repeats, (finding.location, *(site.location for site in finding.call_chain))))


def loops_of(text: str) -> _Loops:
    """The bodies of the loops of a file, as first and last lines; functions and classes defined in one count too."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ()
    loops = [one for one in ast.walk(tree) if isinstance(one, (ast.For, ast.AsyncFor, ast.While))]
    return tuple((one.body[0].lineno, one.body[-1].end_lineno or one.body[-1].lineno) for one in loops)
