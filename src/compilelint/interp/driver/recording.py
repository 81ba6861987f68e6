"""What a run did, call by call, so that an edit of one function costs the calls of that function alone.

A `Record` is one run of a function's body: what it was given, the events it sent and the calls it made, and which
entries of the interpreter's tables (`recorded_tables`) were first made in it. Guarantee: nothing here changes what an
interpreter comes to; an editor alone records.
"""

from __future__ import annotations

import sys
from bisect import bisect_left
from collections.abc import Callable, Container, Hashable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias, TypeVar

from compilelint.events import Event
from compilelint.interp.text.same_result import alike
from compilelint.project.classes import FunctionInfo
from compilelint.syntax import ir

if TYPE_CHECKING:
    from compilelint.interp.core.frame import Frame
    from compilelint.interp.core.slots import Use
    from compilelint.interp.core.summary import Summary, Trace
    from compilelint.project.roots import Root
    from compilelint.values import Value

_T = TypeVar("_T")


class UnrepeatableError(Exception):
    """A call cannot be shown to come to what a fresh run would: everything is to be run again."""


class Record:
    """One run of a body. `begin` and `end` are times of the recorder, `items` what it sent and called, in order."""

    __slots__ = (
        "_made_at",
        "_missed",
        "begin",
        "code",
        "end",
        "first",
        "frame",
        "items",
        "key",
        "made",
        "marks",
        "names",
        "parent",
        "silent",
        "summary",
        "symbols",
        "unrepeatable",
        "users",
        "within",
    )

    def __init__(self, frame: Frame, names: dict[str, Value], key: object, parent: Record | None, begin: int) -> None:
        self.frame = frame
        self.code = frame.function
        self.first = frame.entry()
        self.names = dict(names)
        self.key = key
        self.parent = parent
        self.begin = begin
        self.end = -1
        self.silent = frame.modes.silent
        self.symbols = frame.interp.symbols
        self.items: list[Item] = []
        self.made: list[tuple[Any, Hashable]] = []  # entries of tables, without those made while another one was
        self.marks: set[Hashable] = set()
        self.summary: Summary | None = None
        self.users: list[Record | None] = []  # calls that a summary answered; None for what is no call
        self.unrepeatable = ""
        self.within: dict[tuple[int, Hashable], list[tuple[Any, Hashable]]] = {}  # made while such an entry was
        self._missed: dict[tuple[int, Hashable], int] = {}
        self._made_at: dict[tuple[int, Hashable], int] = {}

    def left_out(self, touched: Container[tuple[int, Hashable]]) -> bool:
        """Whether an entry that was made in it is not among those that a repetition has asked for.

        An expression of its own body, which has given way to another, is asked for no more, but what it asked for is.
        """
        left = list(self.made)
        while left:
            table, key = left.pop()
            if table.made.get(key, (0, None))[1] is self and (id(table), key) not in touched:
                if not table.of_nodes:
                    return True
                left += self.within.get((id(table), key), ())
        return False

    def misses(self, table: object, key: Hashable) -> None:
        """An entry is asked for that is not there: what is made before it is put in, is made for it."""
        self._missed[id(table), key] = len(self.made)

    def closes(self, table: Any, key: Hashable) -> None:
        """An entry that was put in first and made then is settled, as it was."""
        start = self._made_at.get((id(table), key))
        if start is not None and start < len(self.made) and _is(self.made[start], table, key):
            self.makes(table, key)

    def makes(self, table: Any, key: Hashable) -> None:
        """An entry is put in."""
        known = id(table), key
        start = self._made_at.get(known)
        if start is None or start >= len(self.made) or not _is(self.made[start], table, key):
            start = min(self._missed.pop(known, len(self.made)), len(self.made))
        if table.of_nodes:
            self.within[known] = self.made[start:]
        del self.made[start:]
        self._made_at[known] = start
        self.made.append((table, key))


def _is(entry: tuple[Any, Hashable], table: object, key: Hashable) -> bool:
    return entry[0] is table and entry[1] == key


class Reader:
    """What comes after all calls, and may ask for anything that is there."""

    __slots__ = ()
    begin = end = sys.maxsize
    items: ClassVar[list[Any]] = []


class Finish:
    """What was asked of a root when all had run."""

    __slots__ = ("code", "frame", "items", "root", "summary")

    def __init__(self, root: Root, frame: Frame, code: FunctionInfo, summary: Summary | None) -> None:
        self.root = root
        self.frame = frame
        self.code = code
        self.summary = summary
        self.items: list[Item] = []


class Reached:
    """The moment at which a root was done. `called` and `trace` are what its decorators added to what its body did."""

    __slots__ = ("called", "root", "summary", "trace")

    def __init__(self, root: Root, summary: Summary, own: tuple[dict[int, Summary], Trace]) -> None:
        self.root = root
        self.summary = summary
        called, trace = own
        self.called = {number: one for number, one in summary.called.items() if number not in called}
        self.trace = summary.trace.less(trace)

    def adds(self) -> None:
        """Add it again."""
        self.summary.called.update(self.called)
        self.summary.trace.add(self.trace)


class Left:
    """The moment at which what leaves the region is said, unless traced code calls it."""

    __slots__ = ()


Item: TypeAlias = "Event | Record | Finish | Reached | Left | tuple[FunctionInfo, Event]"


class Recorder:
    """Records a run, and guards calls that are repeated after it."""

    def __init__(self) -> None:
        self.time = 0
        self.top: Record | None = None
        self.transcript: list[Item] = []
        self.of_node: dict[int, list[Record]] = {}
        self.of_summary: dict[int, Record] = {}
        self.of_root: dict[int, Summary] = {}  # by the frame of a root, which is held till the end
        self.own: dict[int, tuple[Summary, dict[int, Summary], Trace]] = {}  # of roots: what their bodies did
        self.frames: dict[int, Record] = {}  # by identity; each is held by its record
        self.changed: set[int] = set()  # frames whose variables functions within them have set
        self.own_use: dict[int, Use | None] = {}  # likewise, where decorators have added to the state they use
        self.read: dict[int, str] = {}  # functions whose bodies others than their own calls looked at; by whom
        self.questions: dict[tuple[object, int], tuple[Any, Callable[[], object], object]] = {}
        self.spoilt = ""  # why nothing of the run can be repeated
        self.repeating: Record | Reader | None = None
        self.first: Sequence[Record] = ()  # the calls that the one repeated made first, in order
        self.met: list[Record] = []  # those of them that it has made again by now, and silent ones
        self.touched: set[tuple[int, Hashable]] = set()
        self.marks: set[Hashable] = set()
        self._finish: Finish | None = None
        self._asking = 0
        self._reader = Reader()

    # ------------------------------------------------------------ recording

    def begin(self, frame: Frame, names: dict[str, Value], key: object) -> Record:
        """A body begins to run."""
        if self.repeating is not None:
            raise UnrepeatableError("another body is run")
        record = Record(frame, names, key, self.top, self.tick())
        if frame.modes.host or frame.context.host_class or not self._stands(frame.closure):
            record.unrepeatable = "what is around it counts"
        if frame.effects.broke or frame.trace.ends or frame.trace.captured or frame.effects.stranded:
            record.unrepeatable = "has begun before its body"
        self.frames[id(frame)] = record
        assert record.code is not None
        if frame.interp.active.get(id(record.code.node), 0):
            record.unrepeatable = "calls itself"
        self._items().append(record)
        self.of_node.setdefault(id(record.code.node), []).append(record)
        self.top = record
        return record

    def _stands(self, frame: Frame | None) -> bool:
        """Whether the functions around a closure have returned, so that what it sees of them stays."""
        while frame is not None:
            record = self.frames.get(id(frame))
            if record is None or record.end < 0:
                return False
            frame = frame.closure
        return True

    def sets(self, frame: Frame) -> None:
        """A function sets a variable of one around it."""
        if self.repeating is not None:
            raise UnrepeatableError("sets a variable outside")
        self.changed.add(id(frame))
        if self.top is not None:
            self.top.unrepeatable = "sets a variable outside"

    def ended(self, record: Record, summary: Summary) -> None:
        """A body has been run."""
        self.top = record.parent
        record.end = self.tick()
        record.summary = summary
        self.of_summary[id(summary)] = record
        if record.frame.effects.made:
            record.unrepeatable = "defines functions"

    def broken_off(self) -> None:
        """An error has ended a body: its tables may be half filled."""
        self.spoilt = "an error"

    def event(self, event: Event) -> None:
        """An event is sent."""
        if self.repeating is None or self.repeating is self.top or self._finish is not None:
            self._items().append(event)

    def again_and_again(self, code: FunctionInfo) -> None:
        """A root has been run for several kinds of calls, in one frame."""
        for record in self.of_node.get(id(code.node), ()):
            record.unrepeatable = "is called in several ways"

    def root(self, root: Root, frame: Frame, summary: Summary, further: Callable[[], None]) -> None:
        """A root's own body has been run, or is known; `further` runs what its decorators make of it."""
        self.of_root[id(frame)] = summary
        own = dict(summary.called), summary.trace.copy()
        self.own.setdefault(id(summary), (summary, *own))
        use = None if summary.use is None else summary.use.copy()
        further()
        if not alike(use, summary.use):
            self.own_use[id(summary)] = use
        self.transcript.append(Reached(root, summary, own))

    def leaving(self, code: FunctionInfo, event: Event) -> None:
        """An event is held back until it is known who calls a function."""
        self._items().append((code, event))

    def _items(self) -> list[Item]:
        if self.top is not None:
            return self.top.items
        return self.transcript if self._finish is None else self._finish.items

    def uses(self, frame: Frame, summary: Summary) -> None:
        """A call is answered by a summary, made for it or before."""
        record, top = self.of_summary.get(id(summary)), self.top
        if record is None or not summary.settled:  # it is at work: a recursion
            if self.repeating is not None:
                raise UnrepeatableError("a recursion")
            self._recursive(summary)
            return
        user = top if top is not None and top.frame is frame else None
        if not record.users or record.users[-1] is not user:
            record.users.append(user)
        if self.repeating is not None:
            self._meet(record)

    def _recursive(self, summary: Summary) -> None:
        """What is at work takes a result for an answer that is none yet, up to the call that is asked for."""
        inside: list[Record] = []
        record = self.top
        outermost = 0
        while record is not None:
            inside.append(record)
            if record.summary is summary or record.code is summary.code:
                outermost = len(inside)
            record = record.parent
        for one in inside[: outermost or len(inside)]:
            one.unrepeatable = "is part of a recursion"

    def _meet(self, record: Record) -> None:
        repeated = self.repeating
        assert repeated is not None
        if record.begin > repeated.end:
            raise UnrepeatableError("a call that others made first")
        if record.begin < repeated.begin:
            return
        if record.parent is repeated:
            if record not in self.met:
                self.met.append(record)
                if not record.silent:
                    repeated.items.append(record)
        elif not self._within(record):
            raise UnrepeatableError("a call that another call made first")

    def _within(self, record: Record | None) -> bool:
        """Whether what made an entry has happened by now in the repeated call."""
        repeated = self.repeating
        while record is not None and record.parent is not repeated:
            record = record.parent
        return record is not None and (record.silent or record in self.met)

    @contextmanager
    def finishing(self, root: Root, frame: Frame, code: FunctionInfo) -> Iterator[None]:
        """A root is asked about its state."""
        self._finish = Finish(root, frame, code, self.of_root.get(id(frame)))
        self.transcript.append(self._finish)
        try:
            yield
        finally:
            self._finish = None

    def refused(self) -> None:
        """A budget has run out."""
        self.spoilt = "a budget ran out"

    # ------------------------------------------------------------ repeating

    @contextmanager
    def repeated(self, record: Record, first: Sequence[Record] = ()) -> Iterator[None]:
        """A call is made again; `first` are the calls that it made first, and must make first again in this order."""
        self.repeating = self.top = record
        self.first, self.met, self.touched, self.marks = first, [], set(), set()
        try:
            yield
        finally:
            self.repeating = self.top = None

    @contextmanager
    def finishing_again(self, finish: Finish) -> Iterator[None]:
        """A root is asked about its state again."""
        self._finish = finish
        try:
            with self.reading():
                yield
        finally:
            self._finish = None

    @contextmanager
    def reading(self) -> Iterator[None]:
        """Nothing may be learnt inside."""
        self.repeating = self._reader
        try:
            yield
        finally:
            self.repeating = None

    # ------------------------------------------------------------ reading nodes

    def body(self, node: ir.Function) -> None:
        """The body of a function is looked at."""
        top = self.top
        if self._asking or (top is not None and top.code is not None and top.code.node is node):
            return
        if top is None and self._finish is not None and self._finish.code.node is node:
            return
        if id(node) not in self.read:
            self.read[id(node)] = "" if top is None or top.code is None else top.code.node.qualname

    def learnt_from(self, node: ir.Function) -> None:
        """What a body says is noted for all, by its own call perhaps."""
        self.read.setdefault(id(node), "what its class stores")

    def fact(self, node: Any, read: Callable[[Any], object]) -> None:
        """A fact of a node is asked for, which the node keeps."""
        if not self._asking:
            from compilelint.syntax.facts import fact

            if (read, id(node)) not in self.questions:
                self.ask(read, node, lambda: fact(node, read))

    def ask(self, kind: object, about: Any, question: Callable[[], _T]) -> _T:
        """The answer to a question that is put again after each edit; the same answer keeps what rests on it."""
        answer = self.answer(question)
        if not self._asking and (kind, id(about)) not in self.questions:
            self.questions[kind, id(about)] = about, question, answer
        return answer

    def answer(self, question: Callable[[], _T]) -> _T:
        """The answer to a question; what is read for it does not count."""
        with self.unasked():
            return question()

    @contextmanager
    def unasked(self) -> Iterator[None]:
        """What is read inside is read again after each edit anyway."""
        self._asking += 1
        try:
            yield
        finally:
            self._asking -= 1

    # ------------------------------------------------------------ tables

    def tick(self) -> int:
        """A moment later."""
        self.time += 1
        return self.time

    def touch(self, table: object, key: Hashable, when: int, by: Record | None) -> None:
        """An entry is read: in a repeated call it must have been there the first time."""
        repeated = self.repeating
        if repeated is None:
            return
        if when > repeated.end:
            raise UnrepeatableError("reads what was not there")
        if when >= repeated.begin:
            if by is not repeated and not self._within(by):
                raise UnrepeatableError("reads what another call was to make")
            self.touched.add((id(table), key))

    def past(self, times: Sequence[int], repeated: Record | Reader) -> tuple[int, int]:
        """How many of these moments, at each of which a call was about to begin, have come by now; at least, at most.

        A moment within a call that the one repeated made first has come once that call is made again; when a moment
        in a silent call comes is not known.
        """
        least, most = (bisect_left(times, moment) for moment in (repeated.begin, repeated.end))
        for moment in times[least:most]:
            within = [one for one in (*self.first, *self.met) if one.begin - 1 <= moment <= one.end]
            if any(one in self.met for one in within):
                least += 1
            elif within:
                most -= 1
        return least, most

    def made(self, table: Any, key: Hashable) -> tuple[int, Record | None]:
        """An entry is put in."""
        repeated = self.repeating
        if repeated is not None:
            if table.of_nodes and isinstance(repeated, Record):
                return repeated.begin, repeated
            raise UnrepeatableError(f"learns something: {key}")
        if self.top is not None:
            self.top.makes(table, key)
        return self.tick(), self.top
