"""Executors of a run: this process alone, or a pool of worker processes that take the parts from a queue.

What is asked of a part is answered by the process that began it; the answers come in the order of the questions. A
worker is a fresh interpreter of this Python (so that it is the same on every platform), reads nothing but what the
parent sends and what a lint reads, and is killed when the run ends. If one dies, `LostWorkerError` is raised: the run
can be done here. Workers are started before the parent knows what to ask, so that they load their modules while it
reads the files.
"""

from __future__ import annotations

import gc
import pickle
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from typing import Any, Protocol, TypeAlias

from compilelint import checks
from compilelint.cache import decoded, encoded
from compilelint.cache.encoding import Json
from compilelint.events import DynamoConfig
from compilelint.model import Confidence, Finding, Fix, Rule
from compilelint.model.slotted import dataclass
from compilelint.project.environment import Environment
from compilelint.project.loader import Loader
from compilelint.project.modules import ModuleFinder
from compilelint.rulebook import Rulebook
from compilelint.session.parallel.part import ModuleCache, Outcome, Part, Request
from compilelint.session.pipeline.inputs import Linted
from compilelint.syntax.source import Source
from compilelint.syntax.stack import run_with_deep_stack
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


MOST_KEPT = 100_000_000
"""Characters of the parts that a process keeps from one question to the next: their IR and what was learnt of them take
some 30 bytes a character. Of the others it keeps one at a time, and analyses it again when it is asked again, with the
same answers, since a part is asked the same in the same order. Less costs dear: with a fifth of this, two libraries of
84 million characters took 392 CPU seconds in one process instead of 147."""


class InProcess:
    """This process does everything, part after part."""

    def __init__(
        self, request: Request, module_cache: ModuleCache, files: Sequence[Sequence[Linted]], book: Rulebook
    ) -> None:
        self._request = request
        self._module_cache = module_cache
        self._files = files
        self._book = book
        self._parts: dict[int, Part] = {}
        self._room = MOST_KEPT
        self._passing: tuple[int, Part] | None = None  # the one that is not kept
        self._asked: dict[int, list[Question]] = {}  # of those that are not kept

    def ask(self, questions: Sequence[Question]) -> list[Any]:
        """The answers, in order; all of a part one after the other."""
        by_part = sorted(range(len(questions)), key=lambda number: questions[number].part)
        answers = {number: self.answer(questions[number]) for number in by_part}
        return [answers[number] for number in range(len(questions))]

    def answer(self, one: Question) -> Any:
        """One answer; the part is read when it is first asked something."""
        part = self._parts.get(one.part)
        if part is None and one.part not in self._asked:
            size = sum(file.size for file in self._files[one.part])
            if size <= self._room:
                self._room -= size
                part = self._parts[one.part] = self._read(one.part)
        if part is None:
            part = self._again(one.part)
            self._asked.setdefault(one.part, []).append(one)
        return getattr(part, one.method)(*one.given)

    def _read(self, number: int) -> Part:
        return Part(self._request, self._module_cache, self._files[number], self._book)

    def _again(self, number: int) -> Part:
        """A part that is not kept, as it is after all it was asked so far; the one before it is dropped."""
        if self._passing is None:
            gc.freeze()  # what is kept need not be searched for garbage each time
        elif self._passing[0] == number:
            return self._passing[1]
        else:
            self._passing = None
            self._module_cache.forget()
            gc.collect()  # what a part is made of holds each other
        part = self._read(number)
        for earlier in self._asked.get(number, ()):
            getattr(part, earlier.method)(*earlier.given)
        self._passing = (number, part)
        return part

    def with_fixes(self, findings: Sequence[Finding], least: Confidence) -> list[Finding]:
        """The findings with their fixes."""
        if not any(may_have_fix(one, least) for one in findings):
            return list(findings)
        from compilelint.session.fixing.propose import with_fixes  # LibCST comes with it, which most runs do without

        return list(with_fixes(findings, least=least))


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
    # While the parent still reads the files: what takes long to load.

    rules = {rule.code: rule for rule in checks.rulebook().rules}
    try:
        executor = _executor(pickle.load(asked))  # from our own parent
    except EOFError:  # there was nothing to do
        return
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


def _executor(setup: WorkerSetup) -> InProcess:
    facts = tuple(load(version) for version in setup.versions)
    finder = ModuleFinder(setup.environment, setup.project_roots)
    loader = Loader(finder, setup.follow, facts[-1].known_packages)
    module_cache = ModuleCache(loader, setup.files, dict(setup.given), setup.given)
    book = checks.rulebook()
    judge = book.only([rule for rule in book.rules if rule.code in setup.rules])
    request = Request(setup.specs, setup.config, facts, frozenset(setup.linted), setup.timeout)
    return InProcess(request, module_cache, [[setup.files[number] for number in part] for part in setup.parts], judge)


def encoded_outcome(outcome: Outcome) -> list[Json]:
    """An outcome whose findings are lists, texts and numbers."""
    return [[encoded(one) for one in outcome.findings], *outcome[1:]]


def decoded_outcome(answer: list[Json], rules: dict[str, Rule]) -> Outcome:
    """The outcome that `encoded_outcome` was given."""
    findings, *rest = answer
    return Outcome([decoded(one, rules) for one in findings], *rest)
