"""How many graphs a compile root comes to: the pieces between its breaks that compute something.

Dynamo compiles the root's function up to the first line that ends a graph, and what follows as a function of its own,
a resumed one. A call that breaks inside ends the caller's graph too, and the function called is compiled by itself.
Where it cannot split (in a loop, `try` or `with`), the piece is left to Python up to the function's end, and the
functions that are called there are compiled one by one. A context manager that it does not know leaves to Python what
follows, not what stands before. A piece in which no operation is captured is no graph. A function is compiled once,
however often it is called: what guards make of it is another matter. Run on torch 2.13 and 2.15.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Final, NamedTuple, TypeAlias

from compilelint.interp.core.summary import Fate, Summary
from compilelint.model.slotted import dataclass
from compilelint.syntax import ir, places

Shown: TypeAlias = Mapping[tuple[str, int], bool]
"""The places (path and packed position) where a graph is said to end, each with whether the frame is left to Python."""


class Graphs(NamedTuple):
    """How many graphs a root is expected to come to: on the way with fewest, and on that with most of them.

    `again` says that methods of modules are compiled by themselves for several modules, each with guards of its own:
    `most` counts one version of each.
    """

    fewest: int
    most: int
    again: bool = False


class Answers:
    """What was found of summaries that are not in a circle of calls: whether a graph ends in them, and is captured.

    Where a graph ends is said of more and more places: that one ends stays true, that none does is asked again. The
    summaries must be kept, since they go by their `id`.
    """

    def __init__(self, look: Callable[[], None]) -> None:
        self.look = look
        self._ended: set[int] = set()
        self._whole: set[int] = set()
        self._places = 0
        self.capturing: dict[int, bool] = {}

    def since(self, shown: Shown) -> None:
        """Forget what may have changed by the places that were added."""
        if len(shown) != self._places:
            self._places = len(shown)
            self._whole.clear()

    def breaks(self, summary: Summary) -> bool | None:
        """Whether a graph ends in a function or in what it calls, None if that is not known."""
        if id(summary) in self._ended:
            return True
        return False if id(summary) in self._whole else None

    def learn(self, broken: Mapping[int, bool], capturing: Mapping[int, bool]) -> None:
        """Keep what was found for one root."""
        for number, ended in broken.items():
            (self._ended if ended else self._whole).add(number)
        self.capturing.update(capturing)


def graphs_of(root: Summary, shown: Shown, known: Answers) -> Graphs:
    """The graphs that a root is expected to come to; 0 where nothing of it is compiled."""
    known.since(shown)
    most = _Count(shown, known)
    if not most.breaks(root):
        whole = int(most.captures(root))
        most.teach()
        return Graphs(whole, whole)
    fewest, many = _total(_Count(shown, known, fewest=True), root), _total(most, root)
    most.teach()
    return Graphs(fewest, many, most.again)


def _total(count: _Count, root: Summary) -> int:
    waiting, seen, total = [root], {id(root.code.node)}, 0
    while waiting:
        graphs, others = count.compiled(waiting.pop())
        total += graphs
        for one in others:
            if id(one.code.node) not in seen:
                seen.add(id(one.code.node))
                waiting.append(one)
    return total


def captured_lines(summary: Summary, known: Answers) -> tuple[int, ...]:
    """The lines of a function in which an operation is captured, there or in what is called there."""
    count = _Count({}, known)
    trace = summary.trace
    calls = (pos for pos, called in trace.calls.items() if any(map(count.captures, called.values())))
    module = summary.code.module.ir
    return tuple(sorted({module.line(pos) for pos in (*trace.captured, *calls)}))


class _Count:
    """Answers about summaries, each found once; a function that calls itself is taken to do nothing there."""

    def __init__(self, shown: Shown, known: Answers, fewest: bool = False) -> None:
        self._shown = shown
        self._answers = known
        self.look = known.look
        self._in_a_circle = False
        self.fewest = fewest
        self.choose = min if fewest else max
        self.again = False
        self._compiled_at: dict[int, tuple[int, int]] = {}
        self._open: set[int] = set()
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

    def compiled_at(self, one: Summary, caller: Summary, pos: int) -> None:
        """Note that a function is compiled by itself where it is called."""
        owner = one.code.owner
        if owner is None or not owner.is_module:
            return
        place = id(caller.code.node), pos
        if pos in caller.trace.loops or self._compiled_at.setdefault(id(one.code.node), place) != place:
            self.again = True

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
        known = self._answers.breaks(summary)
        if known is None:
            known = self._broken.get(id(summary))
        if known is None:
            self._answers.look()
            self._broken[id(summary)] = False
            self._open.add(id(summary))
            ends = self._ends(summary)
            known = self._broken[id(summary)] = bool(ends) or any(
                self.broken(summary, pos) for pos in summary.trace.calls
            )
            self._open.discard(id(summary))
        self._in_a_circle |= id(summary) in self._open
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
        known = self._answers.capturing.get(id(summary))
        if known is None:
            known = self._capturing.get(id(summary))
        if known is None:
            self._answers.look()
            self._capturing[id(summary)] = False
            self._open.add(id(summary))
            known = self._capturing[id(summary)] = bool(summary.trace.captured) or any(
                self.captures(one) for called in summary.trace.calls.values() for one in called.values()
            )
            self._open.discard(id(summary))
        self._in_a_circle |= id(summary) in self._open
        return known

    def teach(self) -> None:
        """Let the answers be kept, unless one was taken of a function that was still being asked about."""
        if not self._in_a_circle:
            self._answers.learn(self._broken, self._capturing)


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
    """The ways through one function. Of the arms of an `if` one is taken: the one with most graphs, or with fewest."""

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
        for pos, (iterable, fate) in trace.comprehensions.items():
            marks = self._given_up(marks, pos, iterable, fate)
        self._marks = sorted((_start(pos), _evaluated(pos), pos) for pos in marks)

    def _given_up(self, marks: set[int], comprehension: int, iterable: int, fate: Fate) -> set[int]:
        """The marks, a comprehension in which a graph ends being one mark: nothing is captured in it."""
        inside = {pos for pos in marks if _within(pos, comprehension) and not _within(pos, iterable)}
        if not any(pos in self._ends for pos in inside):
            return marks
        for pos in inside:
            self._ends.pop(pos, None)
        calls = self._summary.trace.calls
        self._ends[comprehension] = max(fate, self._ends.get(comprehension, fate))
        self._broken[comprehension] = [one for pos in inside for one in calls.get(pos, {}).values()]
        return (marks - inside) | {comprehension}

    def walked(self) -> tuple[int, list[Summary]]:
        """The graphs of the way that is chosen, and the functions that are compiled by themselves on it."""
        path = self._body(self._summary.code.node.body, _END, _Path())
        ways = (*self._ways, *([] if path is None else [path]))
        taken = self._count.choose(ways, key=self._worth, default=_Path())
        return taken.total, [self._known[number] for number in taken.alone]

    def _worth(self, path: _Path) -> tuple[int, bool, bool]:
        """By graphs; of two ways to as many, what follows adds one to that whose piece computes nothing yet."""
        alone = sum([self._count.alone(self._known[one]) for one in path.alone])
        return path.total + alone, not path.stopped, not path.computes

    def _body(self, body: ir.Body, end: _Start, path: _Path) -> _Path | None:
        """The way on behind the statements, None where all ways leave the function."""
        for number, statement in enumerate(body):
            self._count.look()
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
        usual = self._summary.trace.usual
        for (test, body), end in zip(statement.arms, (*tests, last), strict=True):
            path = self._between(start, _start(body[0].pos), path)
            taken = usual.get(test.pos)
            if taken is not False:
                ways.append(self._body(body, end, path))
            if taken:
                break
            start = end
        else:
            ways.append(self._body(statement.other, stop, path) if statement.other else path)
        return self._count.choose((way for way in ways if way is not None), key=self._worth, default=None)

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
                if fate is Fate.SKIPPED:
                    left = self._alone([*path.calls, pos])
                else:
                    left = self._noted([(one, pos) for one in self._broken.get(pos, ())])
                graphs = path.graphs + (path.computes and fate is not Fate.SKIPPED)
                # What a chain compares next is a graph by itself, unless the first comparison has decided.
                graphs += fate is Fate.SPLIT and pos in trace.chained and not self._count.fewest
                path = _Path(graphs, stopped=fate is not Fate.SPLIT, alone=path.alone | left)
        return path

    def _alone(self, calls: Iterable[int]) -> frozenset[int]:
        """The functions that Python calls one by one, where the piece around the calls is left to it."""
        trace = self._summary.trace
        found = [(one, pos) for pos in calls if pos not in trace.bodies for one in trace.calls.get(pos, {}).values()]
        return self._noted([(one, pos) for one, pos in found if self._count.captures(one)])

    def _noted(self, summaries: Iterable[tuple[Summary, int]]) -> frozenset[int]:
        found = {}
        for one, pos in summaries:
            found[id(one)] = one
            self._count.compiled_at(one, self._summary, pos)
        self._known.update(found)
        return frozenset(found)


_Start: TypeAlias = "tuple[int, int]"
_END: Final = (1 << 60, 0)


def _within(pos: int, outer: int) -> bool:
    """Whether a place lies in another one, or is it."""
    line, column, end_line, end_column = places.unpack(pos)
    first_line, first_column, last_line, last_column = places.unpack(outer)
    return (first_line, first_column) <= (line, column) and (end_line, end_column) <= (last_line, last_column)


def _start(pos: int) -> _Start:
    return places.unpack(pos)[:2]


def _evaluated(pos: int) -> tuple[int, int, int, int]:
    """In the order of evaluation: what stands inside another place comes before it."""
    line, column, end_line, end_column = places.unpack(pos)
    return end_line, end_column, -line, -column
