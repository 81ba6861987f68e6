"""Runs targets wherever tasks are performed: one result a target, each once, whatever becomes of processes on the way.

A task whose process was lost is performed elsewhere; one that takes two processes along is given up with what is known
of it. What a journal holds is not asked again. Results are the same as those of `dynamic.runner.observe`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from compilelint.disk.shape import Each, misfit
from compilelint.dynamic.answers import checked
from compilelint.dynamic.observations import run_or_none_of
from compilelint.dynamic.protocol import Settings
from compilelint.dynamic.runner import beneath, observe
from compilelint.dynamic.targets import Target
from compilelint.dynamic.worker_process import Work
from compilelint.fleet.attempts import LostFleetError, each_answered
from compilelint.fleet.digest import difference, digests, each
from compilelint.fleet.engine import Engine
from compilelint.fleet.hands import perform
from compilelint.fleet.journal import ANSWER, Journal
from compilelint.fleet.task import Plain, task_of
from compilelint.model import Fate, TargetRun

DIED = "the process of the cluster that ran it died, and so did another one"
UNREADABLE = "what the process of the cluster answered cannot be read"
_REFUSAL = {"refused": str, "host": str}
_ATTEMPTS = 2  # one task may take its time twice: in a worker that others used, and in one of its own

OnResult = Callable[[int, TargetRun], None]


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
        """As `runner.observe`. Raises NoWorkerError for a worker of this machine, and LostFleetError."""
        items = [one if isinstance(one, Work) else Work(one) for one in work]
        if self.engine is None and self.journal is None:
            return observe(items, settings, on_result, self.jobs)
        tasks = [task_of(one, settings, self._digests(one, settings), self.torch) for one in items]
        results: dict[int, TargetRun] = {}

        def take(number: int, answer: Mapping[str, Any]) -> None:
            """Called once for each number, and never twice at a time."""
            one = items[number]
            place = beneath(settings, one.overlay)
            said = answer["observed"], answer["output"]
            run = run_or_none_of(one.target, *said, one.overlay, answer["torch_path"], (place.cwd, *place.paths))
            results[number] = run
            if on_result is not None:
                on_result(number, run)

        def keep(number: int, answer: Plain) -> None:
            if self.journal is not None and answer["output"] != UNREADABLE:  # that is asked again
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
    longest = _ATTEMPTS * max([float(one["timeout"]) for one in messages.values()], default=0.0)
    for number, said in each_answered(engine, perform, messages, _retired, "go on with --resume", longest):
        answer = _readable(said)
        _refuse(answer, messages[number])
        yield number, answer


def _readable(said: object) -> Plain:
    """An answer, which may be anything that a process of the cluster sent: plain data of the form of an answer or a
    refusal. Anything else is no answer for that target.
    """
    try:
        answer = checked(json.dumps(said).encode("utf-8", "backslashreplace"))
    except (ValueError, TypeError, RecursionError, MemoryError):
        answer = None
    if not misfit(answer, _REFUSAL) or not misfit(answer, ANSWER):
        return dict(answer)
    nothing = {"fate": Fate.NO_ANSWER.value, "detail": UNREADABLE}
    return {"observed": nothing, "output": UNREADABLE, "torch_path": ""}


def _retired(number: int, error: Exception) -> Plain:
    """The answer of a task that took more processes along than the engine lets it."""
    return {"observed": {"fate": Fate.KILLED.value, "detail": DIED}, "output": str(error), "torch_path": ""}


def _refuse(answer: Plain, message: Plain) -> None:
    """Raise LostFleetError for an answer that is a refusal."""
    if "refused" not in answer:
        return
    what, hint = answer["refused"], str(answer.get("hint", "share the files, or copy them there again"))
    place = answer.get("place")
    if isinstance(place, str) and place in message["files"] and not misfit(answer, {"files": Each(str)}):
        what += f": {difference(each(place), answer['files'])} in {place}"
    raise LostFleetError(f"{answer['host']} cannot run {message['job']['target']['model']}: {what}", hint)
