"""What was read of a module that others may edit, unit by unit: what it said is what an outcome depends on.

Guarantee: where each of these units says the same in another text of the file, reading that text would have gone the
same way. Exact to the function; what was read in a way that is not followed counts as all of it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import TypeAlias

from compilelint.project.classes import ModuleInfo, NotedNames
from compilelint.project.outline import (
    NOTHING,
    PLAIN,
    STARS,
    STATEMENTS,
    WHOLE,
    Outline,
    Unit,
    bodies,
    named,
    said,
    said_for,
)
from compilelint.syntax import ir
from compilelint.syntax.facts import Noted, filled, top_level

Reads: TypeAlias = Mapping[str, Unit]
"""The units that were read of a file, as they were."""


def reads_of(module: ModuleInfo, noted: Noted, outline: Outline | None) -> Reads:
    """What was read of a module, where `noted` was read of all nodes; without an outline it is the whole text."""
    if outline is None:
        return {WHOLE: Unit("?", ())}
    units = {key: outline.get(key, NOTHING) for key in sorted(set(_keys(module, noted)))}
    return units | {said_for(one): said(text) for one, text in noted.said.get(id(module.ir), {}).items()}


def _keys(module: ModuleInfo, noted: Noted) -> Iterator[str]:
    node, names = module.ir, module.bindings
    statements = top_level(node)
    if id(node) in noted.asked or not isinstance(names, NotedNames):
        yield WHOLE
        return
    yield STARS
    if names.every or id(node) in noted.read:
        yield STATEMENTS
    if id(node) in noted.plain:
        yield PLAIN
    yield from map(named, names.names)
    asked = {id(one) for one in statements if isinstance(one, ir.Class) and id(one) in noted.asked}
    for key, function, owner in bodies(statements, filled):
        if id(function) in noted.read or id(function) in noted.asked or (owner is not None and id(owner) in asked):
            yield key


class Moves:
    """Where the lines of a file stand after an edit, as far as what was read of it is the same."""

    def __init__(self, lines: Mapping[int, int]) -> None:
        self._lines = lines

    def line(self, number: int) -> int:
        """The line now. Raises LookupError where it is in nothing that was read."""
        return self._lines[number]


def moves(reads: Reads, now: Outline) -> Moves | None:
    """Where what was read of a file stands in its new text; None where it says something else, or in another order."""
    lines: dict[int, int] = {}
    for key, unit in reads.items():
        found = now.get(key, NOTHING)
        if found.digest != unit.digest or len(found.lines) != len(unit.lines):
            return None
        if not all(_put(lines, *pair) for pair in zip(unit.lines, found.lines, strict=True)):
            return None
    order = [new for _, new in sorted(lines.items())]
    return Moves(lines) if all(one < other for one, other in pairwise(order)) else None


def _put(lines: dict[int, int], before: tuple[int, int], now: tuple[int, int]) -> bool:
    """Put down a stretch of lines; whether it is as long as it was, and where others say that it is."""
    if now[1] - now[0] != before[1] - before[0]:
        return False
    away = now[0] - before[0]
    return all(lines.setdefault(line, line + away) == line + away for line in range(before[0], before[1] + 1))
