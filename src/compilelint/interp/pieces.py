"""How many graphs a compile root comes to: the pieces between its breaks that compute something.

Dynamo compiles the root's function up to the first line that ends a graph, and what follows as a function of its own,
a resumed one. A call that breaks inside ends the caller's graph too, and the function called is compiled by itself.
Where it cannot split (in a loop, `try` or `with`), the piece is left to Python up to the function's end, and the
functions that are called there are compiled one by one. A context manager that it does not know leaves to Python what
follows, not what stands before. A piece in which no operation is captured is no graph. A function is compiled once,
however often it is called: what guards make of it is another matter. Run on torch 2.13 and 2.15.
"""

from __future__ import annotations

import enum
from bisect import bisect_left
from collections.abc import Iterable, Mapping
from dataclasses import field, replace
from typing import TYPE_CHECKING, Final, TypeAlias

from compilelint.events import UNSPLIT, Enter, Event
from compilelint.model import Confidence
from compilelint.model.slotted import dataclass
from compilelint.syntax import ir, places

if TYPE_CHECKING:
    from compilelint.interp.calls import Summary

Shown: TypeAlias = Mapping[tuple[str, int], bool]
"""The places (path and packed position) where a graph is said to end, each with whether the frame is left to Python."""


class Fate(enum.IntEnum):
    """What is left to Python where a graph ends: nothing but the line, what follows it, or the whole piece."""

    SPLIT = 0
    STOPPED = 1
    SKIPPED = 2


@dataclass(slots=True)
class Trace:
    """What happened in one call of a function, by packed places: operations captured, breaks, calls of functions.

    `blocked` are the calls that stand where Dynamo cannot split: in a loop, `try` or `with`, in what Python calls by
    itself (`__bool__`). `bodies` are those that Python or a higher-order operator enters: they are given up whole.
    """

    captured: set[int] = field(default_factory=set)
    ends: dict[int, Fate] = field(default_factory=dict)
    calls: dict[int, dict[int, Summary]] = field(default_factory=dict)
    blocked: set[int] = field(default_factory=set)
    bodies: set[int] = field(default_factory=set)
    whole: int = 0  # how many instructions that cannot be split are at work
    _last: int = 0

    def called(self, summary: Summary, pos: int, *, in_block: bool, is_body: bool) -> None:
        """Note a call that a summary answers."""
        self.calls.setdefault(pos, {})[id(summary)] = summary
        if in_block or self.whole:
            self.blocked.add(pos)
        if is_body or self.whole:
            self.bodies.add(pos)

    def copy(self) -> Trace:
        """The same, to be changed by itself."""
        calls = {pos: dict(called) for pos, called in self.calls.items()}
        return Trace(
            set(self.captured), dict(self.ends), calls, set(self.blocked), set(self.bodies), self.whole, self._last
        )

    def less(self, other: Trace) -> Trace:
        """What was noted since it was as the other is."""
        calls = {
            pos: {number: one for number, one in called.items() if number not in other.calls.get(pos, {})}
            for pos, called in self.calls.items()
        }
        return Trace(
            self.captured - other.captured,
            {pos: fate for pos, fate in self.ends.items() if other.ends.get(pos) is not fate},
            {pos: called for pos, called in calls.items() if called},
            self.blocked - other.blocked,
            self.bodies - other.bodies,
        )

    def add(self, other: Trace) -> None:
        """Note what the other has noted, too."""
        self.captured |= other.captured
        self.ends.update(other.ends)
        for pos, called in other.calls.items():
            self.calls.setdefault(pos, {}).update(called)
        self.blocked |= other.blocked
        self.bodies |= other.bodies

    def ended(self, event: Event) -> None:
        """Note an event that ends the graph."""
        if event.site.cap < Confidence.LIKELY:
            return
        fate = Fate.STOPPED if isinstance(event, Enter) else Fate.SPLIT
        if (
            not UNSPLIT.isdisjoint(event.site.blocks)
            or self.whole
            or (event.outcome is not None and event.outcome.skips_frame)
        ):
            fate = Fate.SKIPPED
        self._last = pos = event.site.pos
        self.ends[pos] = max(fate, self.ends.get(pos, fate))

    def unsplit(self) -> None:
        """Say of the event noted last that Dynamo cannot split there."""
        if self.ends.get(self._last) is Fate.SPLIT:
            self.ends[self._last] = Fate.SKIPPED


def graphs_of(root: Summary, shown: Shown) -> int:
    """The number of graphs that a root is expected to come to; 0 where nothing of it is compiled."""
    count = _Count(shown)
    waiting, seen, total = [root], {id(root.code.node)}, 0
    while waiting:
        graphs, others = count.compiled(waiting.pop())
        total += graphs
        for one in others:
            if id(one.code.node) not in seen:
                seen.add(id(one.code.node))
                waiting.append(one)
    return total


def captured_lines(summary: Summary) -> tuple[int, ...]:
    """The lines of a function in which an operation is captured, there or in what is called there."""
    count = _Count({})
    trace = summary.trace
    calls = (pos for pos, called in trace.calls.items() if any(map(count.captures, called.values())))
    module = summary.code.module.ir
    return tuple(sorted({module.line(pos) for pos in (*trace.captured, *calls)}))


class _Count:
    """Answers about summaries, each found once; a function that calls itself is taken to do nothing there."""

    def __init__(self, shown: Shown) -> None:
        self._shown = shown
        self._broken: dict[int, bool] = {}
        self._capturing: dict[int, bool] = {}
        self._graphs: dict[int, int] = {}

    def compiled(self, summary: Summary) -> tuple[int, list[Summary]]:
        """The graphs of a function that is compiled by itself, and the functions beneath it that are, too."""
        return _Walk(self, summary, self._ends(summary)).walked()

    def alone(self, summary: Summary) -> int:
        """The graphs of a function that is compiled by itself and of those beneath it."""
        known = self._graphs.get(id(summary))
        if known is None:
            self._graphs[id(summary)] = 0
            graphs, others = self.compiled(summary)
            known = self._graphs[id(summary)] = graphs + sum(map(self.alone, others))
        return known

    def _ends(self, summary: Summary) -> dict[int, Fate]:
        ends, path = summary.trace.ends, summary.code.module.ir.path
        if not summary.code.module.linted:
            return dict(ends)
        return {
            pos: Fate.SKIPPED if self._shown[path, pos] else fate
            for pos, fate in ends.items()
            if (path, pos) in self._shown
        }

    def breaks(self, summary: Summary) -> bool:
        """Whether a graph ends in the function or in what it calls."""
        known = self._broken.get(id(summary))
        if known is None:
            self._broken[id(summary)] = False
            ends = self._ends(summary)
            known = self._broken[id(summary)] = bool(ends) or any(
                self.broken(summary, pos) for pos in summary.trace.calls
            )
        return known

    def broken(self, summary: Summary, pos: int) -> list[Summary]:
        """The functions called at a place of this one in which a graph ends.

        A break in a file that is not linted is said at the linted call that leads there, or it is not said.
        """
        module = summary.code.module
        said = not module.linted or (module.ir.path, pos) in self._shown
        called = summary.trace.calls[pos].values()
        return [one for one in called if (said or one.code.module.linted) and self.breaks(one)]

    def captures(self, summary: Summary) -> bool:
        known = self._capturing.get(id(summary))
        if known is None:
            self._capturing[id(summary)] = False
            known = self._capturing[id(summary)] = bool(summary.trace.captured) or any(
                self.captures(one) for called in summary.trace.calls.values() for one in called.values()
            )
        return known


@dataclass(slots=True)
class _Path:
    """One way through a function: the graphs that have ended, whether the piece at work computes, the calls in it."""

    graphs: int = 0
    computes: bool = False
    stopped: bool = False
    calls: tuple[int, ...] = ()
    alone: frozenset[int] = frozenset()

    @property
    def total(self) -> int:
        """The graphs of the function itself, if it ends here."""
        return self.graphs + self.computes


class _Walk:
    """The ways through one function. Of the arms of an `if` one is taken: the one that comes to most graphs counts."""

    def __init__(self, count: _Count, summary: Summary, ends: dict[int, Fate]) -> None:
        self._count = count
        self._summary = summary
        self._ends = ends
        self._broken: dict[int, list[Summary]] = {}
        self._known: dict[int, Summary] = {}
        self._ways: list[_Path] = []  # those that have left the function
        trace = summary.trace
        for pos in trace.calls:
            if broken := count.broken(summary, pos):
                fate = Fate.SKIPPED if pos in trace.blocked else Fate.SPLIT
                ends[pos] = max(fate, ends.get(pos, fate))
                self._broken[pos] = [] if pos in trace.bodies else broken
        marks = {*trace.captured, *trace.calls, *ends}
        self._marks = sorted((_start(pos), _evaluated(pos), pos) for pos in marks)

    def walked(self) -> tuple[int, list[Summary]]:
        """The graphs of the way that comes to most of them, and the functions that are compiled by themselves on it."""
        path = self._body(self._summary.code.node.body, _END, _Path())
        most = max((*self._ways, *([] if path is None else [path])), key=self._worth, default=_Path())
        return most.total, [self._known[number] for number in most.alone]

    def _worth(self, path: _Path) -> tuple[int, bool]:
        return path.total + sum([self._count.alone(self._known[one]) for one in path.alone]), not path.stopped

    def _body(self, body: ir.Body, end: _Start, path: _Path) -> _Path | None:
        """The way on behind the statements, None where all ways leave the function."""
        for number, statement in enumerate(body):
            start = _start(statement.pos)
            stop = _start(body[number + 1].pos) if number + 1 < len(body) else end
            if isinstance(statement, ir.If):
                behind = self._arms(statement, start, stop, path)
                if behind is None:
                    return None
                path = behind
                continue
            path = self._between(start, stop, path)
            if isinstance(statement, ir.Return):
                self._ways.append(path)
            if isinstance(statement, (ir.Return, ir.Raise)):
                return None
        return path

    def _arms(self, statement: ir.If, start: _Start, stop: _Start, path: _Path) -> _Path | None:
        tests = [_start(test.pos) for test, _ in statement.arms[1:]]
        last = _start(statement.other[0].pos) if statement.other else stop
        ways = []
        for (_, body), end in zip(statement.arms, (*tests, last), strict=True):
            path = self._between(start, _start(body[0].pos), path)
            ways.append(self._body(body, end, path))
            start = end
        ways.append(self._body(statement.other, stop, path) if statement.other else path)
        return max((way for way in ways if way is not None), key=self._worth, default=None)

    def _between(self, start: _Start, stop: _Start, path: _Path) -> _Path:
        """The way on behind what starts between two places."""
        first, last = (bisect_left(self._marks, (place,)) for place in (start, stop))
        trace = self._summary.trace
        for _, pos in sorted(mark[1:] for mark in self._marks[first:last]):
            if path.stopped:
                path = replace(path, alone=path.alone | self._alone([pos]))
            elif pos not in self._ends:
                computes = pos in trace.captured or any(map(self._count.captures, trace.calls.get(pos, {}).values()))
                path = replace(path, computes=path.computes or computes, calls=(*path.calls, pos))
            else:
                fate = self._ends[pos]
                left = (
                    self._alone([*path.calls, pos]) if fate is Fate.SKIPPED else self._noted(self._broken.get(pos, ()))
                )
                graphs = path.graphs + (path.computes and fate is not Fate.SKIPPED)
                path = _Path(graphs, stopped=fate is not Fate.SPLIT, alone=path.alone | left)
        return path

    def _alone(self, calls: Iterable[int]) -> frozenset[int]:
        """The functions that Python calls one by one, where the piece around the calls is left to it."""
        trace = self._summary.trace
        found = [one for pos in calls if pos not in trace.bodies for one in trace.calls.get(pos, {}).values()]
        return self._noted([one for one in found if self._count.captures(one)])

    def _noted(self, summaries: Iterable[Summary]) -> frozenset[int]:
        found = {id(one): one for one in summaries}
        self._known.update(found)
        return frozenset(found)


_Start: TypeAlias = "tuple[int, int]"
_END: Final = (1 << 60, 0)


def _start(pos: int) -> _Start:
    return places.unpack(pos)[:2]


def _evaluated(pos: int) -> tuple[int, int, int, int]:
    """In the order of evaluation: what stands inside another place comes before it."""
    line, column, end_line, end_column = places.unpack(pos)
    return end_line, end_column, -line, -column
