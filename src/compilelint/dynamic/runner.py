"""Runs targets in worker processes and survives whatever they do: one result a target, in the order of the targets.

Targets share a worker, so that torch and their packages are imported once; inside `sharing()`, so do copies of a
project that are run one after the other. A target whose worker died, hung or grew too big is run again in a worker of
its own, unless it was that worker's first; the others go on in a new one. Every process that a worker or its model
started is gone when `observe` returns, however it returns, or at the end of `sharing()`.
"""

from __future__ import annotations

import contextlib
import os
import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from compilelint.dynamic.no_worker import NoWorkerError
from compilelint.dynamic.observations import Overlay, run_or_none_of
from compilelint.dynamic.protocol import Settings
from compilelint.dynamic.targets import Target
from compilelint.dynamic.worker_process import StoppedError, Work, Worker
from compilelint.model import Fate, TargetRun


def observe(
    work: Sequence[Work | Target],
    settings: Settings,
    on_result: Callable[[int, TargetRun], None] | None = None,
    jobs: int = 1,
    on_answer: Callable[[int, dict[str, Any]], None] | None = None,
) -> list[TargetRun]:
    """Run every target and return what was seen, in the given order. Raises NoWorkerError where none can be run.

    `on_result` is called with number and result as each becomes known, never twice at a time; before it `on_answer`,
    with the plain data that the result is made of (`observed`, `output`, `torch_path`). Up to `jobs` workers run side
    by side; time and memory limits hold for each target by itself.
    """
    items = [one if isinstance(one, Work) else Work(one) for one in work]
    results: dict[int, TargetRun] = {}
    one_at_a_time = threading.Lock()

    def take(number: int, answer: dict[str, Any]) -> None:
        with one_at_a_time:
            if on_answer is not None:
                on_answer(number, answer)
            one = items[number]
            observed, output, torch_path = answer["observed"], answer["output"], answer["torch_path"]
            place = beneath(settings, one.overlay)
            project = (place.cwd, *place.paths)
            result = results[number] = run_or_none_of(one.target, observed, output, one.overlay, torch_path, project)
            if on_result is not None:
                on_result(number, result)

    for overlay in dict.fromkeys(one.overlay for one in items):
        waiting = deque(number for number, one in enumerate(items) if one.overlay == overlay)
        alone = jobs == 1 or len(waiting) < 2
        shared = _SHARED.get() if alone else None
        shift = _Shift(items, waiting, beneath(settings, overlay), take, shared, _PHASES.get())
        if alone:
            shift.work_off()
        else:
            shift.side_by_side(min(jobs, len(waiting)))
    return [results[number] for number in range(len(items))]


def beneath(settings: Settings, overlay: Overlay | None) -> Settings:
    """The settings with every path inside the project turned to its copy."""
    if overlay is None:
        return settings
    paths = tuple(overlay.inside_copy(path) for path in settings.paths)
    return replace(settings, paths=paths or (overlay.copy,), cwd=overlay.inside_copy(settings.cwd or os.getcwd()))


@dataclass
class _Shift:
    """All targets of one copy of the project, and those of them that wait."""

    items: Sequence[Work]
    waiting: deque[int]
    settings: Settings
    take: Callable[[int, dict[str, Any]], None]
    shared: SharedWorker | None = None
    on_phase: Callable[[Target, str], None] | None = None
    stopped: threading.Event = field(default_factory=threading.Event)
    started: bool = False  # a worker of these settings did

    def side_by_side(self, jobs: int) -> None:
        """Work off with several workers; the first that fails stops the others."""
        with ThreadPoolExecutor(jobs) as pool:
            futures = [pool.submit(self.work_off) for _ in range(jobs)]
            try:
                done, _ = wait(futures, return_when=FIRST_EXCEPTION)
            except BaseException:  # Ctrl-C: the workers' threads would wait for their targets
                self.stopped.set()
                raise
            if any(one.exception() for one in done):
                self.stopped.set()
        for one in futures:
            if not isinstance(one.exception(), StoppedError):
                one.result()

    def work_off(self) -> None:
        """Serve targets with as few workers as their manners allow, until none waits."""
        number = self._next()
        while number is not None:
            with contextlib.ExitStack() as workers:
                try:
                    worker = workers.enter_context(self._worker())
                except (NoWorkerError, OSError) as error:
                    if not self.started:
                        raise
                    # An earlier target had one: this one goes without, and those after it try again.
                    nothing = {"fate": Fate.NO_ANSWER.value, "detail": str(error)}
                    self.take(number, {"observed": nothing, "output": "", "torch_path": ""})
                    number = self._next()
                    continue
                self.started = True
                while number is not None:
                    worker.on_phase = self._said_of(self.items[number].target)
                    end = worker.serve(number, self.items[number])
                    worker.spoilt = end.is_death or (end.observed is None and not end.worker_lives)
                    if end.is_death and worker.served > 1:
                        break  # perhaps an earlier target did it: again, in a worker of its own
                    observed = end.observed or end.as_observed()
                    answer = {"observed": observed, "output": end.output, "torch_path": worker.torch_path}
                    self.take(number, answer)
                    number = self._next()
                    if end.observed is None and not end.worker_lives:
                        break

    def _said_of(self, target: Target) -> Callable[[str], None] | None:
        return None if self.on_phase is None else partial(self.on_phase, target)

    def _worker(self) -> contextlib.AbstractContextManager[Worker]:
        if self.shared is not None and _can_share(self.settings):
            return self.shared.lent(self.settings)
        return Worker(self.settings, self.stopped)

    def _next(self) -> int | None:
        try:
            return self.waiting.popleft()
        except IndexError:
            return None


class SharedWorker:
    """A worker that stays between calls of `observe` and turns from one copy of a project to the next."""

    def __init__(self) -> None:
        self._worker: Worker | None = None

    @contextlib.contextmanager
    def lent(self, settings: Settings) -> Iterator[Worker]:
        """The worker, in the place that the settings name."""
        home = replace(settings, paths=())
        worker = self._worker
        if worker is None or not worker.lives or replace(worker.settings, cwd=settings.cwd) != home:
            self.end()
            worker = self._worker = Worker(home).__enter__()
        try:
            with contextlib.suppress(OSError):  # it died: the first target says so
                worker.turn_to(settings)
            yield worker
        except BaseException:
            worker.spoilt = True
            raise
        finally:
            if worker.spoilt:
                self.end()

    def end(self) -> None:
        """Say goodbye to the worker, if there is one."""
        worker, self._worker = self._worker, None
        if worker is not None:
            worker.__exit__()


_SHARED: ContextVar[SharedWorker | None] = ContextVar("shared worker", default=None)
_PHASES: ContextVar[Callable[[Target, str], None] | None] = ContextVar("who receives phases", default=None)


@contextlib.contextmanager
def reporting(on_phase: Callable[[Target, str], None]) -> Iterator[None]:
    """Let `on_phase` receive each phase that a target begins in what `observe` runs inside, perhaps from threads."""
    token = _PHASES.set(on_phase)
    try:
        yield
    finally:
        _PHASES.reset(token)


@contextlib.contextmanager
def sharing(worker: SharedWorker | None = None) -> Iterator[None]:
    """Let what `observe` runs inside, one job at a time, share the import of torch and of what no copy holds.

    Inside another `sharing()` that one's worker serves. A `worker` that is given is left to the caller to end.
    """
    if _SHARED.get() is not None:
        yield
        return
    shared = worker or SharedWorker()
    token = _SHARED.set(shared)
    try:
        yield
    finally:
        _SHARED.reset(token)
        if worker is None:
            shared.end()


def _can_share(settings: Settings) -> bool:
    """Whether the worker will fork for each job, as it decides itself where it has torch."""
    return hasattr(os, "fork") and settings.device == "cpu" and settings.threads == 1
