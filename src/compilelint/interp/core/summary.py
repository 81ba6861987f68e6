"""What one call of a function came to: its result and effects, and what its graphs are counted from.

Does not belong here: how a body is run and under what its summary is found again (`summaries`), and the counting
(`graph_count`).
"""

from __future__ import annotations

import enum
from collections.abc import Sequence
from dataclasses import field
from types import MappingProxyType
from typing import Any, Final, cast

from compilelint.events import UNSPLIT, Enter, Event
from compilelint.interp.core.slots import Use
from compilelint.model import Confidence
from compilelint.model.slotted import dataclass
from compilelint.project.classes import FunctionInfo
from compilelint.values import Value

_LOOPS: Final = frozenset({"for", "while", "comprehension"})

# What a trace begins with: most calls have nothing of most kinds. Neither can be written to.
_NO_PLACES: Final[set[int]] = cast("set[int]", frozenset())
_NOTHING: Final = cast("dict[Any, Any]", MappingProxyType({}))

_NEVER_MISSING: Final = frozenset({"torch", "builtins", "numpy"})
"""Packages that are judged by facts: whether they are installed decides nothing."""


def _with(places: set[int], pos: int) -> set[int]:
    """The places and one more."""
    if not places:
        return {pos}
    places.add(pos)
    return places


class Fate(enum.IntEnum):
    """The part that Python runs where a graph ends: nothing but the line, what follows it, or the whole piece."""

    SPLIT = 0
    STOPPED = 1
    SKIPPED = 2


class Trace:
    """What happened in one call of a function, by packed places: operations captured, breaks, calls of functions.

    `blocked` are the calls that stand where Dynamo cannot split: in a loop, `try` or `with`, in what Python calls by
    itself (`__bool__`), `loops` those of them in a loop. `bodies` are those that Python or a higher-order operator
    enters: they are given up whole. `chained` are comparisons of more than two values: each is a test, so that each
    breaks where they are tensors. `usual` says how tests come out with what attributes and arguments are unless
    another value is given, None where that is not known, or differs from pass to pass. `comprehensions` are those in
    which a graph may end: functions of their own, whose first iterable is evaluated around them. `unseen` names the
    packages of calls that leave the program.
    """

    __slots__ = (
        "_last",
        "blocked",
        "bodies",
        "calls",
        "captured",
        "chained",
        "comprehensions",
        "ends",
        "loops",
        "unseen",
        "usual",
        "whole",
    )

    def __init__(self) -> None:
        self.captured: set[int] = _NO_PLACES
        self.ends: dict[int, Fate] = _NOTHING
        self.calls: dict[int, dict[int, Summary]] = _NOTHING
        self.blocked: set[int] = _NO_PLACES
        self.bodies: set[int] = _NO_PLACES
        self.usual: dict[int, bool | None] = _NOTHING
        self.loops: set[int] = _NO_PLACES
        self.chained: set[int] = _NO_PLACES
        self.comprehensions: dict[int, tuple[int, Fate]] = _NOTHING
        self.unseen: dict[int, str] = _NOTHING
        self.whole = 0  # how many instructions that cannot be split are at work
        self._last = 0

    def called(self, summary: Summary, pos: int, blocks: Sequence[str], *, is_body: bool) -> None:
        """Note a call that a summary answers, in the statements that are named."""
        if not self.calls:
            self.calls = {}
        self.calls.setdefault(pos, {})[id(summary)] = summary
        if blocks or self.whole:
            self.blocked = _with(self.blocked, pos)
        if not _LOOPS.isdisjoint(blocks):
            self.loops = _with(self.loops, pos)
        if is_body or self.whole:
            self.bodies = _with(self.bodies, pos)

    def captures(self, pos: int) -> None:
        """Note an operation that is captured."""
        self.captured = _with(self.captured, pos)

    def chains(self, pos: int) -> None:
        """Note a comparison of more than two values."""
        self.chained = _with(self.chained, pos)

    def leaves(self, name: str, pos: int) -> None:
        """Note a call of something outside the program: the package that it belongs to."""
        package = name.partition(".")[0]
        if package not in _NEVER_MISSING:
            if not self.unseen:
                self.unseen = {}
            self.unseen[pos] = package

    def copy(self) -> Trace:
        """The same, to be changed by itself."""
        found = Trace()
        for name in Trace.__slots__:
            value = getattr(self, name)
            setattr(found, name, value.copy() if isinstance(value, (set, dict)) else value)
        found.calls = {pos: dict(called) for pos, called in self.calls.items()}
        return found

    def less(self, other: Trace) -> Trace:
        """What was noted since it was as the other is."""
        found = Trace()
        for name in Trace.__slots__:
            value, before = getattr(self, name), getattr(other, name)
            if isinstance(value, set):
                setattr(found, name, value - before)
            elif isinstance(value, dict):
                new = {pos: one for pos, one in value.items() if pos not in before or before[pos] != one}
                setattr(found, name, new)
        found.calls = {pos: dict(called) for pos, called in found.calls.items()}
        return found

    def add(self, other: Trace) -> None:
        """Note what the other has noted, too."""
        for name in Trace.__slots__:
            value, more = getattr(self, name), getattr(other, name)
            if isinstance(more, (set, dict)) and name != "calls":
                setattr(self, name, value | more if value else more.copy())
        if other.calls and not self.calls:
            self.calls = {}
        for pos, called in other.calls.items():
            self.calls.setdefault(pos, {}).update(called)

    def ended(self, event: Event) -> None:
        """Note an event that ends the graph."""
        if event.site.cap < Confidence.LIKELY:
            return
        fate = Fate.STOPPED if isinstance(event, Enter) else Fate.SPLIT
        if (
            not UNSPLIT.isdisjoint(event.site.blocks)
            or self.whole
            or (event.outcome is not None and event.outcome.skips_frame and not event.site.in_callee)
        ):
            fate = Fate.SKIPPED
        self._last = pos = event.site.pos
        if not self.ends:
            self.ends = {}
        self.ends[pos] = max(fate, self.ends.get(pos, fate))

    def comprehended(self, pos: int, iterable: int, *, splits: bool) -> None:
        """Note a comprehension or generator in which a graph ends: Python runs it, and the graph around it ends."""
        if not self.comprehensions:
            self.comprehensions = {}
        self.comprehensions[pos] = iterable, Fate.SPLIT if splits else Fate.SKIPPED

    def tested(self, pos: int, usual: bool | None) -> None:
        """Note how a test comes out."""
        if not self.usual:
            self.usual = {}
        known = self.usual.get(pos, usual)
        self.usual[pos] = usual if known is usual else None

    def unsplit(self) -> None:
        """Say of the event noted last that Dynamo cannot split there."""
        if self.ends.get(self._last) is Fate.SPLIT:
            self.ends[self._last] = Fate.SKIPPED


@dataclass(slots=True)
class Summary:
    """What one call of a function does: its result, what it stores on `self`, whether a graph ends in it (always).

    `called` holds what it calls, so that the functions a root reaches can be counted, `trace` what its graphs are
    counted from. Two things hold of the calls that it was made for, and may be otherwise for others: `floor`, the most
    that may be claimed, where it `calls_back` linted code, and whether an error is `caught`, where it `heeds` that.
    """

    code: FunctionInfo
    result: Value
    writes: dict[str, Value]
    broke: bool
    always_broke: bool = False
    floor: Confidence = Confidence.CERTAIN
    calls_back: bool = False
    caught: bool = False
    heeds: bool = False
    left_changed: bool = False
    written_inputs: frozenset[str] = frozenset()
    wrote_dict: bool = False
    stranded: str = ""
    escaped: tuple[Event, ...] = ()
    used: bool = False
    settled: bool = False
    use: Use | None = None
    called: dict[int, Summary] = field(default_factory=dict)
    trace: Trace = field(default_factory=Trace)
