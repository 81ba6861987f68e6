"""How far a root reaches: the functions that were followed for it, and the files they stand in."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from compilelint.interp.calls import Summary


class Reach(NamedTuple):
    """Counts, the root's own function and file included."""

    functions: int
    files: int


def reach_of(start: Summary) -> Reach:
    """What a summary goes through, call after call; each function counts once, whatever it is called with."""
    seen = {id(start)}
    waiting = [start]
    functions: set[int] = set()
    files: set[str] = set()
    while waiting:
        summary = waiting.pop()
        functions.add(id(summary.code.node))
        files.add(summary.code.module.ir.path)
        for number, called in summary.called.items():
            if number not in seen:
                seen.add(number)
                waiting.append(called)
    return Reach(len(functions), len(files))
