"""How far a root reaches, the functions that were followed for it and their files; what others of the project reach."""

from __future__ import annotations

from collections.abc import Callable, Collection, Container, Iterator
from typing import TYPE_CHECKING, NamedTuple

from compilelint.interp.core.graph_count import Answers, Shown, captured_lines, graphs_of

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


def reach_of(start: Summary, shown: Shown, known: Beneath | None = None) -> Reach:
    """What a summary goes through, call after call; each function counts once, whatever it is called with.

    `known` is what was found for other roots, whose summaries stay as they are.
    """
    known = known or Beneath()
    bits, packages = known.of(start)
    graphs = graphs_of(start, shown, known.graphs)
    lines = captured_lines(start, known.graphs)
    counts = graphs.most, lines, graphs.fewest, graphs.again
    functions, files = known.counted(bits)
    return Reach(functions, files, *counts, tuple(sorted(packages)), tuple(known.said(bits, shown)))


class Beneath:
    """What summaries go through, found once for all roots: roots that call each other would have it found again each.

    A set of functions, files and places is an integer with a bit for each. Where summaries call each other in a circle,
    a root is walked by itself.
    """

    def __init__(self, look: Callable[[], None] = lambda: None) -> None:
        self._look = look
        self.graphs = Answers(look)
        self._bits: dict[object, int] = {}
        self._files = 0
        self._places = 0
        self._place: dict[int, tuple[tuple[str, int], tuple[str, int]]] = {}  # by bit: with its position, with its line
        self._beneath: dict[int, tuple[Summary, int, frozenset[str]]] = {}  # with the summary, which keeps its `id`

    def of(self, start: Summary) -> tuple[int, frozenset[str]]:
        """What a summary goes through, its own included, and the packages that it calls."""
        found = self._ordered(start)
        if found is not None:
            return found[1:]
        reached = _walked(start)
        bits = 0
        for one in reached:
            bits |= self._own(one)
        return bits, frozenset(name for one in reached for name in one.trace.unseen.values())

    def counted(self, bits: int) -> tuple[int, int]:
        """How many functions and files there are."""
        files, places = (bits & self._files).bit_count(), (bits & self._places).bit_count()
        return bits.bit_count() - files - places, files

    def said(self, bits: int, shown: Shown) -> Iterator[tuple[str, int]]:
        """The places at which a graph is said to end, a bounded number of them."""
        places = bits & self._places if shown else 0
        left = _MOST_PLACES
        while places and left:
            number = places.bit_length() - 1
            places ^= 1 << number
            at, line = self._place[number]
            if at in shown:
                left -= 1
                yield line

    def _ordered(self, start: Summary) -> tuple[Summary, int, frozenset[str]] | None:
        """What is beneath a summary, from what is beneath those that it calls; None where there is a circle."""
        waiting = [start]
        entered: set[int] = set()
        while waiting:
            self._look()
            summary = waiting[-1]
            if id(summary) in self._beneath:
                waiting.pop()
                continue
            missing = [one for one in summary.called.values() if id(one) not in self._beneath]
            if missing:
                if id(summary) in entered:
                    return None
                entered.add(id(summary))
                waiting += missing
                continue
            bits, packages = self._own(summary), frozenset(summary.trace.unseen.values())
            for one in summary.called.values():
                _, further, named = self._beneath[id(one)]
                bits |= further
                packages |= named
            self._beneath[id(summary)] = summary, bits, packages
        return self._beneath[id(start)]

    def _own(self, summary: Summary) -> int:
        module = summary.code.module
        path = module.ir.path
        file = self._bit(path)
        self._files |= file
        bits = file | self._bit(id(summary.code.node))
        for pos in _may_end(summary):
            place = self._bit((path, pos))
            self._places |= place
            self._place[place.bit_length() - 1] = (path, pos), (path, module.ir.line(pos))
            bits |= place
        return bits

    def _bit(self, key: object) -> int:
        return 1 << self._bits.setdefault(key, len(self._bits))


def _may_end(summary: Summary) -> Iterator[int]:
    """The places of a function at which a graph may be said to end: there, or in a file beyond the linted ones."""
    if summary.code.module.linted:
        yield from summary.trace.ends
        for pos, called in summary.trace.calls.items():
            if any(not one.code.module.linted and one.broke for one in called.values()):
                yield pos


def _walked(start: Summary) -> list[Summary]:
    seen = {id(start)}
    found = [start]
    for summary in found:  # grows while it is read
        for one in summary.called.values():
            if id(one) not in seen:
                seen.add(id(one))
                found.append(one)
    return found


_MOST_PLACES = 500


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
