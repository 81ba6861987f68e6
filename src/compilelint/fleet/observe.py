"""Runs targets wherever tasks are performed: one result a target, each once, whatever becomes of processes on the way.

A task whose process was lost is performed elsewhere; one that takes two processes along is given up with what is known
of it. What a journal holds is not asked again. Results are the same as those of `dynamic.runner.observe`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, CancelledError, Future, wait
from dataclasses import dataclass, field
from typing import Any

from compilelint.dynamic.observations import run_of
from compilelint.dynamic.protocol import Settings
from compilelint.dynamic.runner import Work, observe
from compilelint.dynamic.targets import Target
from compilelint.fleet.digest import difference, digests, each
from compilelint.fleet.engine import Engine
from compilelint.fleet.hands import perform
from compilelint.fleet.journal import Journal
from compilelint.fleet.task import Plain, task_of
from compilelint.model import Fate, TargetRun

MOST_RENEWALS = 3
"""How often in a row an engine may break before one more answer is in."""

_INSTALL = "install the same compilelint wherever tasks are performed"

OnResult = Callable[[int, TargetRun], None]


class LostFleetError(Exception):
    """Nothing more can be performed there: `what` was met, and the `hint` says what to do."""

    def __init__(self, what: str, hint: str) -> None:
        super().__init__(f"{what}; {hint}")
        self.what = what
        self.hint = hint


@dataclass
class Fleet:
    """Where targets are run: by an `engine`, else on this machine by `jobs` workers.

    `journal` keeps every answer as it comes. `torch` is the version that is expected elsewhere, empty for any.
    """

    engine: Engine | None = None
    journal: Journal | None = None
    jobs: int = 1
    torch: str = ""
    _files: dict[str, dict[str, str]] = field(default_factory=dict)

    def observe(
        self, work: Sequence[Work | Target], settings: Settings, on_result: OnResult | None = None
    ) -> list[TargetRun]:
        """As `runner.observe`. Raises NoTorchError for a worker of this machine, and LostFleetError."""
        items = [one if isinstance(one, Work) else Work(one) for one in work]
        if self.engine is None and self.journal is None:
            return observe(items, settings, on_result, self.jobs)
        tasks = [task_of(one, settings, self._digests(one, settings), self.torch) for one in items]
        results: dict[int, TargetRun] = {}

        def take(number: int, answer: Mapping[str, Any]) -> None:
            """Called once for each number, and never twice at a time."""
            one = items[number]
            run = run_of(one.target, answer["observed"], answer["output"], one.overlay, answer["torch_path"])
            results[number] = run
            if on_result is not None:
                on_result(number, run)

        def keep(number: int, answer: Plain) -> None:
            if self.journal is not None:
                self.journal.add(tasks[number].key, answer)
            take(number, answer)

        known = {} if self.journal is None else dict(self.journal.answers)
        for number, task in enumerate(tasks):
            if task.key in known:
                take(number, known[task.key])
        left = [number for number, task in enumerate(tasks) if task.key not in known]
        if self.engine is None:
            here = [items[number] for number in left]
            observe(here, settings, None, self.jobs, lambda place, answer: keep(left[place], answer))
        else:
            for number, answer in performed(self.engine, {number: tasks[number].message() for number in left}):
                keep(number, answer)
        return [results[number] for number in range(len(items))]

    def _digests(self, work: Work, settings: Settings) -> dict[str, str]:
        """Of the target's files; of those of a copy, made again for each trial, nothing is said."""
        if work.overlay is not None:
            return {}
        model = work.target.model
        if model not in self._files:
            self._files[model] = digests(model, settings.paths, settings.cwd)
        return self._files[model]


def performed(engine: Engine, messages: Mapping[int, Plain]) -> Iterator[tuple[int, Plain]]:
    """Number and answer of each task as it is performed, every one once. Raises LostFleetError."""
    running: dict[Future[Plain], int] = {engine.submit(perform, message): one for one, message in messages.items()}
    renewals = 0
    try:
        while running:
            done, _ = wait(running, return_when=FIRST_COMPLETED)
            broken = []
            for future in done:
                number = running.pop(future)
                try:
                    answer = future.result()
                except BrokenExecutor as error:
                    broken.append((number, error))
                    continue
                except Exception as error:  # noqa: BLE001 - of the engine: `perform` itself raises nothing
                    answer = _retired(error)
                _refuse(answer, messages[number])
                renewals = 0
                yield number, answer
            if broken:
                renewals += 1
                again = [number for number, _ in broken] + [*running.values()]
                if renewals > MOST_RENEWALS:
                    raise LostFleetError(f"the executor broke {renewals} times: {broken[0][1]}", "use another one")
                engine.renew()
                running = {engine.submit(perform, messages[number]): number for number in again}
    finally:
        for future in running:
            future.cancel()


def _retired(error: Exception) -> Plain:
    """The answer of a task that took more processes along than the engine lets it. Raises LostFleetError for others."""
    if type(error).__name__ == "KilledWorker":
        detail = "the process of the cluster that ran it died, and so did another one"
        return {"observed": {"fate": Fate.KILLED.value, "detail": detail}, "output": str(error), "torch_path": ""}
    if isinstance(error, (CancelledError, OSError, TimeoutError)):
        raise LostFleetError(f"the cluster is gone ({type(error).__name__})", "go on with --resume") from error
    raise LostFleetError(f"a process of the cluster failed: {type(error).__name__}: {error}", _INSTALL) from error


def _refuse(answer: Plain, message: Plain) -> None:
    """Raise LostFleetError for an answer that is a refusal."""
    if "refused" not in answer:
        return
    what, hint = str(answer["refused"]), str(answer.get("hint", "share the files, or copy them there again"))
    if "place" in answer:
        what += f": {difference(each(answer['place']), answer['files'])} in {answer['place']}"
    raise LostFleetError(f"{answer['host']} cannot run {message['job']['target']['model']}: {what}", hint)
