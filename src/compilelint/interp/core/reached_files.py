"""How far a root reaches, the functions that were followed for it and their files; what others of the project reach."""

from __future__ import annotations

from collections.abc import Collection, Container, Iterator
from typing import TYPE_CHECKING, NamedTuple

from compilelint.interp.core.graph_count import Shown, captured_lines, graphs_of

if TYPE_CHECKING:
    from compilelint.interp.core.summary import Summary


class Reach(NamedTuple):
    """Counts, the root's own function and file included; `graphs` is how many it is expected to come to at most,
    `fewest` at least, `again` whether there may be more (`pieces.Graphs`), `captured` the lines of its own function
    in which an operation is captured. `packages` are those that are called and whose source was not followed. `ends`
    are the places (path and line) on the way at which a graph is said to end: a summary is shared, and an event is
    sent for the first root that meets it.
    """

    functions: int
    files: int
    graphs: int = 0
    captured: tuple[int, ...] = ()
    fewest: int = 0
    again: bool = False
    packages: tuple[str, ...] = ()
    ends: tuple[tuple[str, int], ...] = ()


def reach_of(start: Summary, shown: Shown) -> Reach:
    """What a summary goes through, call after call; each function counts once, whatever it is called with."""
    seen = {id(start)}
    waiting = [start]
    functions: set[int] = set()
    files: set[str] = set()
    packages: set[str] = set()
    ends: dict[tuple[str, int], None] = {}
    while waiting:
        summary = waiting.pop()
        functions.add(id(summary.code.node))
        files.add(summary.code.module.ir.path)
        packages.update(summary.trace.unseen.values())
        ends.update(dict.fromkeys(_said(summary, shown)))
        for number, called in summary.called.items():
            if number not in seen:
                seen.add(number)
                waiting.append(called)
    graphs = graphs_of(start, shown)
    lines = captured_lines(start)
    counts = graphs.most, lines, graphs.fewest, graphs.again
    return Reach(len(functions), len(files), *counts, tuple(sorted(packages)), tuple(ends))


def _said(summary: Summary, shown: Shown) -> Iterator[tuple[str, int]]:
    """The places in a function at which a graph is said to end: there, or in a file beyond the linted ones."""
    module = summary.code.module
    if not module.linted or not shown:
        return
    path = module.ir.path
    beyond = (
        pos
        for pos, called in summary.trace.calls.items()
        if any(not one.code.module.linted and one.broke for one in called.values())
    )
    for pos in (*summary.trace.ends, *beyond):
        if (path, pos) in shown:
            yield path, module.ir.line(pos)


class Elsewhere:
    """What other parts of the project have reached, by the places of functions, and what of it was asked for.

    What is done with the answers holds for every other `reached` that would have given the same.
    """

    def __init__(self, reached: Container[str]) -> None:
        self._reached = reached
        self._reaches: dict[str, bool] = {}

    def reaches(self, place: str) -> bool:
        """Whether a function was run."""
        found = self._reaches[place] = place in self._reached
        return found

    @property
    def asked(self) -> Collection[str]:
        """The places of the functions that were asked for so far."""
        return self._reaches.keys()

    def forget(self) -> None:
        """Keep what was asked for, and let go of the rest: nothing more will be asked."""
        self._reached = ()

    def would_be(self, reached: Container[str]) -> bool:
        """Whether all that was asked for has the same answer there."""
        return all((place in reached) == found for place, found in self._reaches.items())
