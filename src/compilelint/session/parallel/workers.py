"""Executors of a run: this process alone, or a pool of worker processes that take the parts from a queue.

What is asked of a part is answered by the process that began it; the answers come in the order of the questions. A
worker is a fresh interpreter of this Python (so that it is the same on every platform), reads nothing but what the
parent sends and what a lint reads, and is killed when the run ends. If one dies, `LostWorkerError` is raised: the run
can be done here. Workers are started before the parent knows what to ask, so that they load their modules while it
reads the files.
"""

from __future__ import annotations

import gc
import sys
import threading
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

from compilelint import checks
from compilelint.cache import decoded, encoded, store_in
from compilelint.cache.encoding import Json
from compilelint.events import DynamoConfig
from compilelint.model import Confidence, Finding, Fix, Rule
from compilelint.model.slotted import dataclass
from compilelint.project.environment import Environment
from compilelint.project.loader import Loader
from compilelint.project.modules import ModuleFinder
from compilelint.rulebook import Rulebook
from compilelint.session.incremental.ir_cache import IrCache
from compilelint.session.parallel.ahead import Ahead, merged
from compilelint.session.parallel.importance import Imports, imports
from compilelint.session.parallel.module_cache import ModuleCache
from compilelint.session.parallel.outcome import Outcome, Reached
from compilelint.session.parallel.part import Part, Request
from compilelint.session.pipeline.inputs import Linted
from compilelint.syntax.source import Source
from compilelint.syntax.stack import run_with_deep_stack

if TYPE_CHECKING:
    import subprocess
from compilelint.torchfacts import load

Process: TypeAlias = "subprocess.Popen[bytes]"

_START = "import sys; sys.path[:] = sys.argv[1:]; from compilelint.session.parallel.workers import serve; serve()"


class LostWorkerError(Exception):
    """A worker process ended before its work did."""


@dataclass(frozen=True, slots=True)
class Question:
    """A method of `Part`, asked of the part of a number; `weight` says how long the answer takes, beside others."""

    part: int
    method: str
    given: tuple[object, ...] = ()
    weight: int = 0


class Asked(Protocol):
    """Answers questions about parts."""

    def ask(self, questions: Sequence[Question]) -> list[Any]: ...


class Executor(Asked, Protocol):
    """Does all that can be divided."""

    def with_fixes(self, findings: Sequence[Finding], least: Confidence) -> list[Finding]:
        """The findings with their fixes, where they are at least that sure and have one."""
        ...


MOST_KEPT = 6_000_000
"""Characters of the parts that a process keeps from one question to the next: their IR and what was learnt of them take
25 to 40 bytes a character. Another part is asked all at once, before it is known what the others reach (`Ahead`), and
let go of; where that made a difference, it is analysed again, with the same answers as if it had been kept, since a
part is asked the same in the same order."""

MOST_AT_ONCE = 9_000_000
"""Likewise, with the largest of the parts that are let go of, so that larger parts leave less room for others. With
both, 45 MB take less than 500 MB."""

KEPT_BY_WORKERS = 100_000_000
"""The same of a worker, which knows less of what other parts reach, and shares the work with others."""


class InProcess:
    """This process does everything, part after part."""

    def __init__(
        self,
        request: Request,
        module_cache: ModuleCache,
        files: Sequence[Sequence[Linted]],
        book: Rulebook,
        room: int | None = None,
        records: bool = False,
    ) -> None:
        self._request = request
        self._records = records
        self._module_cache = module_cache
        self._files = files
        self._book = book
        self._parts: dict[int, Part] = {}
        self._room = MOST_KEPT if room is None else room
        self._kept: set[int] = set()
        self._passing: tuple[int, Part] | None = None  # the one that is not kept
        self._asked: dict[int, list[Question]] = {}  # of those that are not kept
        self._ahead: dict[int, Ahead] = {}
        self._imports = Imports([], frozenset())
        self._order: dict[int, int] = {}  # which part is asked first, where not all are kept
        self._stage: list[object] = []
        self._reached: dict[str, bool] = {}  # by the parts that have started the stage

    def ask(self, questions: Sequence[Question]) -> list[Any]:
        """The answers, in order; all of a part one after the other."""
        if not self._order:
            self._order = self._planned()
        by_part = sorted(range(len(questions)), key=lambda number: self._order[questions[number].part])
        answers = {number: self.answer(questions[number]) for number in by_part}
        return [answers[number] for number in range(len(questions))]

    def answer(self, one: Question) -> Any:
        """One answer; the part is read when it is first asked something."""
        part = self._parts.get(one.part)
        if part is None and one.part not in self._asked and self._keeps(one.part):
            part = self._parts[one.part] = self._read(one.part)
        answer = self._of_passing(one) if part is None else getattr(part, one.method)(*one.given)
        if one.method == "start":
            self._note_reached(one, answer)
            if part is None and one.part not in self._ahead:
                self._look_ahead(one)
        return answer

    def _planned(self) -> dict[int, int]:
        """The turn of each part. Those that others import most are kept, as far as there is room, and come first: what
        they reach is known then; of the others come last those that import least."""
        sizes = [sum(file.size for file in part) for part in self._files]
        numbers = range(len(sizes))
        if sum(sizes) <= self._room:
            self._kept.update(numbers)
            return {number: number for number in numbers}
        self._room = max(0, min(self._room, MOST_AT_ONCE - max(sizes)))
        self._imports = imports(self._files, self._module_cache.text_of)
        for number in sorted(numbers, key=lambda number: -self._imports.of(number)):
            if sizes[number] <= self._room:
                self._room -= sizes[number]
                self._kept.add(number)
        turns = [*sorted(self._kept), *self._imports.turns([number for number in numbers if number not in self._kept])]
        return {number: turn for turn, number in enumerate(turns)}

    def _keeps(self, number: int) -> bool:
        """Whether a part is kept: as planned; a worker, which is asked one by one, keeps what comes first."""
        if not self._order:
            size = sum(file.size for file in self._files[number])
            if size <= self._room:
                self._room -= size
                self._kept.add(number)
        return number in self._kept

    def _of_passing(self, one: Question) -> Any:
        """The answer of a part that is not kept: known already, or of the part as it is after all it was asked."""
        ahead = self._ahead.get(one.part)
        if ahead is not None and ahead.holds(one.method, one.given):
            answer = ahead.take(one.method, one.given)
        else:
            self._ahead.pop(one.part, None)
            answer = getattr(self._again(one.part), one.method)(*one.given)
        self._asked.setdefault(one.part, []).append(one)
        return answer

    def _look_ahead(self, one: Question) -> None:
        """Ask the part what comes next, and let go of it."""
        assert self._passing is not None
        assert self._passing[0] == one.part
        self._ahead[one.part] = Ahead(self._passing[1], self._request, _stage_of(one)[:2], self._reached)
        self._let_go()

    def _note_reached(self, one: Question, places: Reached) -> None:
        *stage, before = _stage_of(one)
        if self._stage != stage:
            self._stage, self._reached = stage, dict(before)
        self._reached = merged(self._reached, places)

    def _read(self, number: int) -> Part:
        return Part(self._request, self._module_cache, self._files[number], self._book, self._records)

    @property
    def only(self) -> Part | None:
        """The part of a project that is one."""
        return self._parts.get(0) if len(self._files) == 1 else None

    def _again(self, number: int) -> Part:
        """A part that is not kept, as it is after all it was asked so far; the one before it is dropped."""
        if self._passing is not None and self._passing[0] == number:
            return self._passing[1]
        self._let_go()
        part = self._read(number)
        for earlier in self._asked.get(number, ()):
            getattr(part, earlier.method)(*earlier.given)
        self._passing = (number, part)
        return part

    def _let_go(self) -> None:
        """Free the part that is not kept, and what was lowered for it alone."""
        if self._passing is not None:
            self._passing[1].let_go()
            self._passing = None
            kept = {path for part in self._parts.values() for path in part.paths}
            self._module_cache.forget(kept, self._imports.modules)
            gc.collect()  # what a part is made of holds each other
        gc.freeze()  # what is kept need not be searched for garbage each time

    def with_fixes(self, findings: Sequence[Finding], least: Confidence) -> list[Finding]:
        """The findings with their fixes."""
        if not any(may_have_fix(one, least) for one in findings):
            return list(findings)
        from compilelint.session.fixing.propose import with_fixes  # LibCST comes with it, which most runs do without

        return list(with_fixes(findings, least=least))


def _stage_of(one: Question) -> tuple[int, str, Reached]:
    """What a stage is started with."""
    version, stage, reached = one.given
    assert isinstance(version, int)
    assert isinstance(stage, str)
    assert isinstance(reached, dict)
    return version, stage, reached


def may_have_fix(one: Finding, least: Confidence) -> bool:
    """Whether a fix may be looked for."""
    return one.rewrite is not None and one.confidence >= least


# ------------------------------------------------------------------------ workers


@dataclass(frozen=True, slots=True)
class WorkerSetup:
    """All that a worker has to know: the request in words that another process understands, and the files by part."""

    specs: tuple[str, ...]
    config: DynamoConfig
    versions: tuple[str, ...]
    rules: tuple[str, ...]
    follow: str
    environment: Environment
    project_roots: tuple[str, ...]
    files: tuple[Linted, ...]
    parts: tuple[tuple[int, ...], ...]  # positions in `files`
    linted: tuple[str, ...]
    given: dict[str, Source]
    timeout: float
    cache: tuple[str, tuple[object, ...]] | None  # where imported modules are kept, and by which compilelint
    packs: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    remembered: bool = False


@dataclass(frozen=True, slots=True)
class FixTask:
    """Findings of some files, as `encoded` writes them, whose fixes are asked for; findings less sure have none."""

    findings: list[Json]
    least: Confidence


class WorkerPool:
    """Processes that take parts from a queue, the heaviest first."""

    def __init__(self, processes: Sequence[Process], setup: WorkerSetup, rules: Sequence[Rule]) -> None:
        self._rules = {rule.code: rule for rule in rules}
        self._owner: dict[int, int] = {}
        self._lock = threading.Lock()
        self._processes = processes
        import pickle  # a lint in one process needs none

        message = pickle.dumps(setup)
        for process in processes:
            _send(process, message)

    def ask(self, questions: Sequence[Question]) -> list[Any]:
        """The answers, in the order of the questions. Raises LostWorkerError."""
        by_part: dict[int, list[int]] = {}
        for number, question in enumerate(questions):
            by_part.setdefault(question.part, []).append(number)
        mine: list[deque[list[int]]] = [deque() for _ in self._processes]
        free: deque[list[int]] = deque()
        for part, numbers in sorted(by_part.items(), key=lambda item: -sum(questions[at].weight for at in item[1])):
            owner = self._owner.get(part)
            (free if owner is None else mine[owner]).append(numbers)
        return self._answered(questions, mine, free)

    def with_fixes(self, findings: Sequence[Finding], least: Confidence) -> list[Finding]:
        """The findings with their fixes, file by file. Raises LostWorkerError."""
        by_path: dict[str, list[int]] = {}
        for number, finding in enumerate(findings):
            if may_have_fix(finding, least):
                by_path.setdefault(finding.location.path, []).append(number)
        batches: list[list[int]] = [[] for _ in range(min(len(by_path), _BATCHES * len(self._processes)))]
        for number, numbers in enumerate(by_path.values()):
            batches[number % len(batches)] += numbers
        asked = [FixTask([encoded(findings[number]) for number in batch], least) for batch in batches]
        found = list(findings)
        each = deque([[number] for number in range(len(asked))])
        for batch, fixes in zip(batches, self._answered(asked, [deque()] * len(self._processes), each), strict=True):
            for number, fix in zip(batch, fixes, strict=True):
                found[number] = replace(found[number], fix=fix)
        return found

    def _answered(
        self, tasks: Sequence[Question | FixTask], mine: Sequence[deque[list[int]]], free: deque[list[int]]
    ) -> list[Any]:
        """What the workers make of tasks, by number: each does its own, then what no other has begun.

        Numbers in one list are done by one worker, in their order.
        """
        answers: list[Any] = [None] * len(tasks)
        lost: list[BaseException] = []

        def work(who: int) -> None:
            try:
                while not lost:
                    with self._lock:
                        waiting = mine[who] or free
                        if not waiting:
                            return
                        numbers = waiting.popleft()
                    for number in numbers:
                        task = tasks[number]
                        if isinstance(task, Question):
                            self._owner[task.part] = who
                        answers[number] = self._answer(self._processes[who], task)
            except BaseException as error:  # noqa: BLE001  # raised in the thread that waits
                lost.append(error)

        threads = [threading.Thread(target=work, args=(who,), daemon=True) for who in range(len(self._processes))]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        if lost:
            raise LostWorkerError(str(lost[0])) from lost[0]
        return answers

    def _answer(self, process: Process, task: Question | FixTask) -> Any:
        import pickle

        _send(process, pickle.dumps(task))
        assert process.stdout is not None
        answer = pickle.load(process.stdout)  # from our own process
        return (
            decoded_outcome(answer, self._rules) if isinstance(task, Question) and task.method == "outcome" else answer
        )


_BATCHES = 4  # for each worker: files differ in what their fixes cost


@contextmanager
def idle_workers(count: int) -> Iterator[list[Process]]:
    """So many processes that wait for a setup, fewer where the system starts no more; ended with the block."""
    processes: list[Process] = []
    with suppress(OSError):
        for _ in range(count):
            processes.append(_started())
    try:
        yield processes
    finally:
        for process in processes:
            process.kill()
        for process in processes:
            process.communicate()


def _started() -> Process:
    import subprocess

    # Isolated: the folder it is started in is that of a stranger, and its `random.py` is not ours.
    command = [sys.executable, "-I", "-c", _START, *sys.path]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)


def _send(process: subprocess.Popen[bytes], message: bytes) -> None:
    assert process.stdin is not None
    process.stdin.write(message)
    process.stdin.flush()


def serve() -> None:
    """The life of a worker: read the setup, answer until there are no more questions."""
    import signal

    gc.disable()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches the whole group; the parent says so, and ends us
    asked, answered = sys.stdin.buffer, sys.stdout.buffer
    sys.stdout = sys.stderr
    run_with_deep_stack(lambda: _serve(asked, answered))


def _serve(asked: Any, answered: Any) -> None:
    import pickle

    # While the parent still reads the files: what takes long to load.
    checks.rulebook()
    try:
        setup: WorkerSetup = pickle.load(asked)  # from our own parent
    except EOFError:  # there was nothing to do
        return
    book = checks.rulebook(setup.packs, setup.paths)
    executor, rules = _executor(setup, book), {rule.code: rule for rule in book.rules}
    while True:
        try:
            task: Question | FixTask = pickle.load(asked)
        except EOFError:
            return
        pickle.dump(_reply(executor, task, rules), answered)
        answered.flush()


def _reply(executor: InProcess, task: Question | FixTask, rules: dict[str, Rule]) -> Any:
    if isinstance(task, FixTask):
        fixes: list[Fix | None] = [
            one.fix for one in executor.with_fixes([decoded(one, rules) for one in task.findings], task.least)
        ]
        return fixes
    answer = executor.answer(task)
    return encoded_outcome(answer) if task.method == "outcome" else answer


def _executor(setup: WorkerSetup, book: Rulebook) -> InProcess:
    facts = tuple(load(version) for version in setup.versions)
    finder = ModuleFinder(setup.environment, setup.project_roots)
    loader = Loader(finder, setup.follow, facts[-1].known_packages)
    if setup.cache is not None:  # the parent keeps it within its bounds
        folder, own = setup.cache
        loader.kept = IrCache(store_in(folder), own)
    judge = book.only([rule for rule in book.rules if rule.code in setup.rules])
    module_cache = ModuleCache(loader, setup.files, dict(setup.given), setup.given, judge.words)
    request = Request(
        setup.specs, setup.config, facts, frozenset(setup.linted), setup.timeout, remembered=setup.remembered
    )
    parts = [[setup.files[number] for number in part] for part in setup.parts]
    return InProcess(request, module_cache, parts, judge, KEPT_BY_WORKERS)


def encoded_outcome(outcome: Outcome) -> list[Json]:
    """An outcome whose findings are lists, texts and numbers."""
    return [[encoded(one) for one in outcome.findings], *outcome[1:]]


def decoded_outcome(answer: list[Json], rules: dict[str, Rule]) -> Outcome:
    """The outcome that `encoded_outcome` was given."""
    findings, *rest = answer
    return Outcome([decoded(one, rules) for one in findings], *rest)
