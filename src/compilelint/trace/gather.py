"""Events to causes: counted where they have one reason at one line, with the seconds of the compiles they made.

Memory is bounded whatever a log says: causes, frames, pending compiles and spans each have a most, and what is beyond
it is counted. The same run read twice, from its trace and from its terminal, counts once, by the larger count.
"""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Iterable
from functools import partial

from compilelint.model import Step
from compilelint.model.patterns import late_pattern
from compilelint.trace.cause import CacheUse, Kind, Span, Trace
from compilelint.trace.events import (
    Began,
    Break,
    CacheLookup,
    Compiled,
    Id,
    Limit,
    Named,
    NoCudaGraph,
    Recompile,
    Sized,
    Torch,
)
from compilelint.trace.files import lines_of, payload_below, sources_of
from compilelint.trace.growing import MOST_FRAMES, MOST_NAMED, Causes, Growing
from compilelint.trace.guards import Failure, failure_of
from compilelint.trace.inputs import Inputs, note_together
from compilelint.trace.ranks import Ranks
from compilelint.trace.read import Reader, Seen, Tally

MOST_SPANS = 4_000
_MOST_VALUES = 12
_MOST_KEYS = 2_000
_GRAPH = "gm"  # the part of a cache's key that is the graph itself

_RESUMED = late_pattern(r"torch_dynamo_resume_in_(.+)_at_(\d{1,9})$|<resume in (.+)>$")
_LIMIT_TEXT = ("limit exceeded", "_limit reached")


def is_torch(path: str) -> bool:
    """Whether a path of a job is one of torch's own files."""
    plain = path.replace("\\", "/")
    return "-packages/torch/" in plain or plain.startswith(("torch/", "<"))


def users_place(stack: Iterable[Step]) -> Step | None:
    """The innermost line of a stack that is not torch's own, else the innermost."""
    steps = tuple(stack)
    return next((step for step in reversed(steps) if not is_torch(step.path)), steps[-1] if steps else None)


def function_of(name: str) -> str:
    """The function that was written: Dynamo names what it resumes `torch_dynamo_resume_in_forward_at_13`."""
    for _ in range(4):
        found = _RESUMED.match(name)
        if found is None:
            return name
        name = found[1] or found[3]
    return name


class _Process:
    """What is known of one process while its log is read: frames by number, and compiles that are under way."""

    def __init__(self, rank: int, attempt: int) -> None:
        self.rank, self.attempt = rank, attempt
        self.frames: dict[int, Step] = {}
        self.wanted_by: dict[Id, Growing] = {}
        self.waiting: dict[Id, tuple[Recompile, bool]] = {}
        self.resumes: dict[tuple[str, int], Growing] = {}
        self.thrown: dict[Id, Growing] = {}
        self.broken: set[Id] = set()
        self.failed: dict[Id, tuple[Compiled, Step]] = {}
        self.cuda_graphs: set[Id] = set()
        self.inputs = Inputs()


class Gatherer:
    """Takes the events of all logs of a run, process by process."""

    def __init__(self) -> None:
        self._causes = Causes()
        self._torch: dict[str, None] = {}
        self._ranks: set[int] = set()
        self._caches: dict[str, Counter[str]] = {}
        self._keys: dict[tuple[str, str, int, str], dict[str, str]] = {}
        self._spans: list[tuple[float, int, Span, Growing | None]] = []
        self._span_count = 0
        self._compiled = Ranks()
        self._compiles = self._graphs = 0
        self._seconds = {"first": 0.0, "again": 0.0, "backward": 0.0}
        self._processes: dict[int, _Process] = {}
        self._rank, self._attempt, self._number = 0, 0, 0

    def begin(self, rank: int | None, attempt: int | None) -> None:
        """From here on events are those of another file."""
        self.end_file()
        self._number += 1
        self._rank, self._attempt = rank or 0, attempt or 0
        if rank is not None:
            self._ranks.add(rank)

    def end_file(self) -> None:
        """Recompiles whose frame was never named are counted by their words; failures without a break are errors."""
        for process in self._processes.values():
            for event, structured in process.waiting.values():
                self._recompiled(event, Step("", 0, ""), process, structured)
            for failed, frame in process.failed.values():
                self._failed(failed, frame, process)
        self._processes = {}

    def take(self, seen: Seen) -> None:
        """Count an event."""
        rank = self._rank if seen.rank is None else seen.rank
        if seen.rank is not None:
            self._ranks.add(rank)
        process = self._processes.get(rank)
        if process is None:
            process = self._processes[rank] = _Process(rank, self._attempt)
        event, structured = seen.event, seen.structured
        if isinstance(event, Compiled):
            self._compile_over(event, process)
        elif isinstance(event, (Sized, Named)):
            process.inputs.take(event)
        elif isinstance(event, Began):
            self._frame_known(event.id, event.stack[-1], process)
        elif isinstance(event, Break):
            self._broke(event, process, structured)
        elif isinstance(event, Recompile):
            self._asked_again(event, process, structured)
        elif isinstance(event, Limit):
            self._given_up(event, process, structured)
        elif isinstance(event, CacheLookup):
            self._looked_up(event, process)
        elif isinstance(event, NoCudaGraph):
            self._left_out_of_graphs(event.reason, event.place, event.id, process, structured)
        elif isinstance(event, Torch):
            self._torch.setdefault(event.version)

    # ------------------------------------------------------------------ causes

    def _broke(self, event: Break, process: _Process, structured: bool) -> None:
        place = users_place(event.stack)
        if place is None:
            return
        about = (event.break_id or event.words,)
        cause = self._causes.count(Kind.BREAK, place, about, event.words, event, process.rank, structured)
        if cause is None:
            return
        frame = process.frames.get(event.id.frame) if event.id is not None else None
        cause.note_frame(self._number, event.id, function_of(frame.function if frame is not None else place.function))
        if event.id is not None and len(process.broken) < MOST_FRAMES:
            process.broken.add(event.id)
            failed = process.failed.pop(event.id, None)
            cause.cold += failed[0].seconds if failed is not None else 0.0
        if event.skips_frame and event.id is not None and len(process.thrown) < MOST_FRAMES:
            process.thrown[event.id] = cause
        for step in event.stack:
            if len(process.resumes) < MOST_FRAMES or (step.path, step.line) in process.resumes:
                process.resumes[step.path, step.line] = cause

    def _asked_again(self, event: Recompile, process: _Process, structured: bool) -> None:
        known = event.frame or (process.frames.get(event.id.frame) if event.id is not None else None)
        if known is not None or event.id is None:
            self._recompiled(event, known or Step("", 0, ""), process, structured)
        elif len(process.waiting) < MOST_FRAMES:
            process.waiting[event.id] = (event, structured)

    def _recompiled(self, event: Recompile, frame: Step, process: _Process, structured: bool) -> None:
        failures = [failure_of(text) for text in event.failures]
        newest = failures[0] if failures else Failure("other", "", text="a guard failed")
        place = _of_guard(newest, frame)
        cause = self._causes.count(Kind.RECOMPILE, place, newest.key, newest.text, event, process.rank, structured)
        if cause is None:
            return
        cause.failure = newest if cause.failure is None else cause.failure
        cause.note_frame(self._number, event.id, function_of(frame.function))
        for value in (newest.expected, newest.actual):
            if value and len(cause.values) < _MOST_VALUES:
                cause.values.setdefault(value)
        cause.resumed |= _RESUMED.match(frame.function) is not None
        cause.of_parameter |= any(one.of_parameter for one in failures)
        for one in failures[1:]:
            if one.key == newest.key:
                continue
            if len(cause.others) < MOST_NAMED:
                cause.others.setdefault(one.text)
        if event.id is not None and len(process.wanted_by) < MOST_FRAMES:
            process.wanted_by[event.id] = cause

    def _given_up(self, event: Limit, process: _Process, structured: bool) -> None:
        failure = failure_of(event.reason) if event.reason else None
        place = event.frame
        cause = self._causes.count(Kind.LIMIT, place, (event.limit,), event.limit, event, process.rank, structured)
        if cause is None:
            return
        cause.limit = max(cause.limit, event.most)
        asked = process.wanted_by.get(event.id) if event.id is not None else None
        cause.failure = cause.failure or failure or (asked.failure if asked is not None else None)
        if asked is not None and asked.failure == cause.failure:
            cause.together = asked.together
        cause.note_frame(self._number, event.id, function_of(event.frame.function))

    def _left_out_of_graphs(
        self, reason: str, place: Step | None, at: Id | None, process: _Process, structured: bool
    ) -> None:
        frame = process.frames.get(at.frame) if at is not None else None
        where = place or frame or Step("", 0, "")
        if at is not None and structured and at in process.cuda_graphs:
            return
        if at is not None and len(process.cuda_graphs) < MOST_FRAMES:
            process.cuda_graphs.add(at)
        event = NoCudaGraph(at, reason, place)
        words = reason.partition(". Found from")[0].partition(" Found from")[0].strip()
        cause = self._causes.count(Kind.CUDA_GRAPH, where, (words,), words, event, process.rank, structured)
        if cause is not None:
            cause.note_frame(self._number, at, function_of(frame.function if frame is not None else where.function))

    def _looked_up(self, event: CacheLookup, process: _Process) -> None:
        uses = self._caches.setdefault(event.cache, Counter()) if len(self._caches) < 20 else Counter()
        uses[event.state] += 1
        frame = process.frames.get(event.id.frame) if event.id is not None else None
        place = frame or Step("", 0, "")
        why = event.why or self._what_differs(event, place)
        if event.state == "hit" or not why:
            return
        words = f"{event.cache}: {why}"
        cause = self._causes.count(Kind.CACHE, place, (event.cache, why), words, event, process.rank, True)
        if cause is not None:
            cause.note_frame(self._number, event.id, function_of(place.function))

    def _what_differs(self, event: CacheLookup, place: Step) -> str:
        """In which parts the key of a graph differs from the one under which the same graph was looked up before."""
        now = dict(event.parts)
        if not place.path or _GRAPH not in now:
            return ""
        asked = (event.cache, place.path, place.line, now[_GRAPH])
        last = self._keys.get(asked)
        if len(self._keys) < _MOST_KEYS or asked in self._keys:
            self._keys[asked] = now
        names = [] if last is None else [name for name in now if last.get(name) != now[name]]
        return f"the key differs from that of the same graph before in {', '.join(names[:6])}" if names else ""

    # ---------------------------------------------------------------- compiles

    def _frame_known(self, at: Id, frame: Step, process: _Process) -> None:
        if len(process.frames) < MOST_FRAMES:
            process.frames.setdefault(at.frame, frame)
        waiting = process.waiting.pop(at, None)
        if waiting is not None:
            self._recompiled(waiting[0], frame, process, waiting[1])

    def _compile_over(self, event: Compiled, process: _Process) -> None:
        at = event.id
        known = process.frames.get(at.frame) if at is not None else None
        frame = event.frame if event.frame.path else known or event.frame
        if at is not None and frame.path and not event.backward:
            self._frame_known(at, frame, process)
        cause = self._blamed(event, frame, process)
        if cause is not None and at is not None and cause.failure is not None:
            note_together(cause, at, process.inputs)
        part = "backward" if event.backward else "again" if at is not None and at.compile else "first"
        self._seconds[part] += event.seconds
        if not event.backward:
            self._compiles += 1
            self._graphs += event.installed and not event.fail and event.ops > 0
            self._compiled.add(process.rank, process.attempt, frame, event.ops)
        self._span(event, frame, cause, process)
        if event.no_cuda_graph:
            self._left_out_of_graphs(event.no_cuda_graph, None, at, process, True)

    def _blamed(self, event: Compiled, frame: Step, process: _Process) -> Growing | None:
        """The cause of a compile, which is charged with its seconds."""
        at = event.id
        if event.fail and any(text in event.why for text in _LIMIT_TEXT):
            most = int("".join(filter(str.isdigit, event.why.partition("set to")[2][:12])) or 0)
            self._given_up(Limit(at, frame, _limit_name(event.why), most, ""), process, True)
        elif event.fail and not event.backward and at not in process.broken:
            if at is None or len(process.failed) >= MOST_FRAMES:
                self._failed(event, frame, process)
            else:
                process.failed[at] = event, frame  # until torch 2.9 the break that skips the frame is written later
        thrown = process.thrown.pop(at, None) if at is not None else None
        if thrown is not None and not event.installed:
            thrown.cold += event.seconds  # nothing of it is kept
            return thrown
        cause = process.wanted_by.get(at) if at is not None else None
        if cause is not None:
            cause.again += event.seconds
            cause.graphs += event.installed and not event.fail and not event.backward and event.ops > 0
            return cause
        resumed = _RESUMED.match(event.frame.function)
        line = int(resumed[2]) if resumed is not None and resumed[2] else event.frame.line
        cause = process.resumes.get((frame.path, line)) if resumed is not None else None
        if cause is not None and at is not None:
            cause.cold += event.seconds
            cause.graphs += event.installed and not event.fail and event.ops > 0
            if not event.backward and len(process.wanted_by) < MOST_FRAMES:
                process.wanted_by.setdefault(at, cause)  # its backward comes later, without a name
        return cause

    def _failed(self, event: Compiled, frame: Step, process: _Process) -> None:
        place = event.fail_place if event.fail_place is not None and not is_torch(event.fail_place.path) else frame
        place = Step(place.path, place.line, place.function or frame.function)
        first = event.why.strip().partition("\n")[0]
        cause = self._causes.count(
            Kind.ERROR, place, (event.fail, first), f"{event.fail}: {first}", event, process.rank, True
        )
        if cause is not None:
            cause.cold += event.seconds
            cause.note_frame(self._number, event.id, function_of(frame.function))

    def _span(self, event: Compiled, frame: Step, cause: Growing | None, process: _Process) -> None:
        if not event.at:
            return
        self._span_count += 1
        span = Span(process.rank, str(event.id or ""), frame, event.at, event.seconds, event.backward, -1)
        entry = (event.seconds, self._span_count, span, cause)
        if len(self._spans) < MOST_SPANS:
            heapq.heappush(self._spans, entry)
        else:
            heapq.heappushpop(self._spans, entry)  # the shortest are left out

    # ------------------------------------------------------------------ result

    def trace(self, tally: Tally, files: int, going_on: bool = False) -> Trace:
        """All that was taken; `going_on` says that more events of the same processes will come."""
        if not going_on:
            self.end_file()
        grown = self._causes.finished()
        numbers = {id(one): number for number, (one, _) in enumerate(grown)}
        spans = [span._replace(cause=numbers.get(id(cause), -1)) for _, _, span, cause in self._spans]
        ranks = tuple(sorted(self._ranks))
        return Trace(
            tuple(cause for _, cause in grown),
            tuple(self._torch)[:8],
            ranks,
            files,
            tally.lines,
            tally.records,
            tally.messages,
            tally.damaged,
            self._causes.left_out,
            self._compiles,
            self._graphs,
            self._seconds["first"],
            self._seconds["again"],
            self._seconds["backward"],
            tuple(CacheUse(name, uses["hit"], uses["miss"], uses["bypass"]) for name, uses in self._caches.items()),
            tuple(sorted(spans, key=lambda span: (span.rank, span.begins))),
            self._span_count - len(spans),
            self._compiled.divergences() if len(ranks) > 1 else (),
        )


def _of_guard(failure: Failure, frame: Step) -> Step:
    """The line for which a guard was made, with the whole path of the frame where torch shortened it to its end."""
    place = failure.place
    if place is None:
        return Step(frame.path, frame.line, function_of(frame.function))
    short = place.path.replace("\\", "/").lstrip("./")
    path = frame.path if frame.path.replace("\\", "/").endswith(short) else place.path
    return Step(path, place.line, function_of(place.function))


def _limit_name(why: str) -> str:
    return "accumulated_recompile_limit" if "accumulated" in why else "recompile_limit"


def gathered(paths: Iterable[str]) -> Trace:
    """The trace of a run, from files and folders. Raises NotReadError, which names the path as its first argument."""
    tally, gatherer, files = Tally(), Gatherer(), 0
    for path in paths:
        for source in sources_of(path):
            files += 1
            gatherer.begin(source.rank, source.attempt)
            reader = Reader(tally, partial(payload_below, source.home))
            for seen in reader.read(lines_of(source.path)):
                gatherer.take(seen)
    return gatherer.trace(tally, files)
