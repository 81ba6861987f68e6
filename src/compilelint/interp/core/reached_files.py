"""How far a root reaches, the functions that were followed for it and their files; what others of the project reach."""

from __future__ import annotations

from collections.abc import Collection, Container
from typing import TYPE_CHECKING, NamedTuple

from compilelint.interp.core.graph_count import Shown, captured_lines, graphs_of

if TYPE_CHECKING:
    from compilelint.interp.core.summary import Summary


class Reach(NamedTuple):
    """Counts, the root's own function and file included; `graphs` is how many it is expected to come to at most,
    `fewest` at least, `again` whether there may be more (`pieces.Graphs`), `captured` the lines of its own function
    in which an operation is captured. `packages` are those that are called and whose source was not followed.
    """

    functions: int
    files: int
    graphs: int = 0
    captured: tuple[int, ...] = ()
    fewest: int = 0
    again: bool = False
    packages: tuple[str, ...] = ()


def reach_of(start: Summary, shown: Shown) -> Reach:
    """What a summary goes through, call after call; each function counts once, whatever it is called with."""
    seen = {id(start)}
    waiting = [start]
    functions: set[int] = set()
    files: set[str] = set()
    packages: set[str] = set()
    while waiting:
        summary = waiting.pop()
        functions.add(id(summary.code.node))
        files.add(summary.code.module.ir.path)
        packages.update(summary.trace.unseen.values())
        for number, called in summary.called.items():
            if number not in seen:
                seen.add(number)
                waiting.append(called)
    graphs = graphs_of(start, shown)
    lines = captured_lines(start)
    return Reach(len(functions), len(files), graphs.most, lines, graphs.fewest, graphs.again, tuple(sorted(packages)))


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
