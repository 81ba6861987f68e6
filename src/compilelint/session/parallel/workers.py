"""The executor of many processes: a pool of workers that take the parts from a queue.

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
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeAlias

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
from compilelint.session.parallel.ahead import merged
from compilelint.session.parallel.importance import Imports, room_beside
from compilelint.session.parallel.in_process import InProcess, Question, Taken, as_it_is, may_have_fix, stage_of
from compilelint.session.parallel.module_cache import ModuleCache
from compilelint.session.parallel.outcome import Outcome
from compilelint.session.parallel.part import Request
from compilelint.session.pipeline.inputs import Linted
from compilelint.syntax.source import Source
from compilelint.syntax.stack import run_with_deep_stack
from compilelint.torchfacts import Capture, load
from compilelint.torchfacts.switches import Switch

if TYPE_CHECKING:
    import subprocess

Process: TypeAlias = "subprocess.Popen[bytes]"

_START = "import sys; sys.path[:] = sys.argv[1:]; from compilelint.session.parallel.workers import serve; serve()"


class LostWorkerError(Exception):
    """A worker process ended before its work did."""


KEPT_BY_WORKERS = 8_000_000
"""`MOST_KEPT` of each worker, which knows later what other parts reach."""

WORKERS_AT_ONCE = 12_000_000
"""`MOST_AT_ONCE` of each worker. With both, 45 MB take less than 700 MB in each of two."""


@dataclass(frozen=True, slots=True)
class WorkerSetup:
    """All that a worker has to know: the request in words that another process understands, and the files by part."""

    specs: tuple[str, ...]
    config: DynamoConfig
    only_in: tuple[tuple[Capture | Switch, frozenset[str]], ...]
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
    room: tuple[int, int] = (KEPT_BY_WORKERS, WORKERS_AT_ONCE)
    compilers: tuple[tuple[str, str], ...] = ()

    @property
    def sizes(self) -> list[int]:
        """The characters of each part."""
        return [sum(self.files[number].size for number in part) for part in self.parts]


@dataclass(frozen=True, slots=True)
class Imported:
    """The linted modules that other parts import, as in `Imports`: not all parts are kept."""

    modules: dict[str, frozenset[int]]


@dataclass(frozen=True, slots=True)
class FixTask:
    """Findings of some files, as `encoded` writes them, whose fixes are asked for; findings less sure have none."""

    findings: list[Json]
    least: Confidence


class WorkerPool:
    """Processes that take parts from a queue: the heaviest first, or, where not all can be kept, as `Plan` says."""

    def __init__(
        self,
        processes: Sequence[Process],
        setup: WorkerSetup,
        rules: Sequence[Rule],
        found: Callable[[], Imports],
    ) -> None:
        """`found` is asked what parts import of each other where that makes a difference."""
        self._sizes = setup.sizes
        self._room = room_beside(*setup.room, self._sizes) * len(processes)
        self._found = found
        self._turns: dict[int, int] = {}  # where not all parts are kept
        self._stage: list[object] = []
        self._reached: dict[str, bool] = {}  # in the stage, by all processes
        self._rules = {rule.code: rule for rule in rules}
        self._owner: dict[int, int] = {}
        self._lock = threading.Lock()
        self._taking = threading.Lock()
        self._processes = processes
        import pickle  # a lint in one process needs none

        message = pickle.dumps(setup)
        for process in processes:
            _send(process, message)

    def ask(self, questions: Sequence[Question], taken: Taken = as_it_is) -> list[Any]:
        """The answers, in the order of the questions. Raises LostWorkerError."""
        by_part: dict[int, list[int]] = {}
        for number, question in enumerate(questions):
            by_part.setdefault(question.part, []).append(number)
        mine: list[deque[list[int]]] = [deque() for _ in self._processes]
        free: deque[list[int]] = deque()
        if not self._turns and sum(self._sizes[part] for part in by_part) > self._room:
            self._plan()
        heaviest_first = sorted(by_part.items(), key=lambda item: -sum(questions[at].weight for at in item[1]))
        for part, numbers in sorted(heaviest_first, key=lambda item: self._turns.get(item[0], 0)):
            owner = self._owner.get(part)
            (free if owner is None else mine[owner]).append(numbers)
        return self._answered(questions, mine, free, taken)

    def _plan(self) -> None:
        """See which parts come first, and say which of their modules are worth keeping."""
        found = self._found()
        self._turns = found.plan(self._sizes, self._room).shared_by(len(self._processes), self._sizes)
        for process in self._processes:
            self._answer(process, Imported(found.modules))

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
        self,
        tasks: Sequence[Question | FixTask],
        mine: Sequence[deque[list[int]]],
        free: deque[list[int]],
        taken: Taken = as_it_is,
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
                        answers[number] = self._answer(self._processes[who], self._informed(task))
                        self._learn(task, answers[number])
                        if isinstance(task, Question):
                            with self._taking:
                                answers[number] = taken(task, answers[number])
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

    def _informed(self, task: Question | FixTask) -> Question | FixTask:
        """A task with what all processes have reached, where it may be answered ahead; else without."""
        if not isinstance(task, Question) or task.method != "start":
            return task
        if not self._turns:
            return replace(task, elsewhere={})
        *stage, before = stage_of(task)
        with self._lock:
            if self._stage != stage:
                self._stage, self._reached = stage, dict(before)
            return replace(task, elsewhere=merged(self._reached, task.elsewhere))

    def _learn(self, task: Question | FixTask, answer: Any) -> None:
        if self._turns and isinstance(task, Question) and task.method == "start":
            with self._lock:
                self._reached = merged(self._reached, answer)

    def _answer(self, process: Process, task: Question | FixTask | Imported) -> Any:
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
            task: Question | FixTask | Imported = pickle.load(asked)
        except EOFError:
            return
        pickle.dump(_reply(executor, task, rules), answered)
        answered.flush()


def _reply(executor: InProcess, task: Question | FixTask | Imported, rules: dict[str, Rule]) -> Any:
    if isinstance(task, Imported):
        return executor.know(task.modules)
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
    module_cache = ModuleCache(loader, setup.files, dict(setup.given), setup.given, judge.words, setup.compilers)
    request = Request(
        setup.specs,
        setup.config,
        facts,
        frozenset(setup.linted),
        setup.timeout,
        only_in=setup.only_in,
        remembered=setup.remembered,
        compilers=setup.compilers,
    )
    parts = [[setup.files[number] for number in part] for part in setup.parts]
    return InProcess(request, module_cache, parts, judge, setup.room)


def encoded_outcome(outcome: Outcome) -> list[Json]:
    """An outcome whose findings are lists, texts and numbers."""
    return [[encoded(one) for one in outcome.findings], *outcome[1:]]


def decoded_outcome(answer: list[Json], rules: dict[str, Rule]) -> Outcome:
    """The outcome that `encoded_outcome` was given."""
    findings, *rest = answer
    return Outcome([decoded(one, rules) for one in findings], *rest)
