"""Calls performed by an engine, every one answered once: what a lost process held is performed elsewhere."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, CancelledError, Future, wait
from typing import TypeVar

from compilelint.fleet.engine import Engine

Asked = TypeVar("Asked")
Answer = TypeVar("Answer")

MOST_RENEWALS = 3
"""How often in a row an engine may break before one more answer is in."""

QUEUED = 3600.0
"""Seconds that a cluster may take before the first answer, beyond those of a task: a queue may hold back its
processes. Afterwards so many are left for a process to start:"""
STARTING = 600.0

_INSTALL = "install the same compilelint wherever tasks are performed"


class LostFleetError(Exception):
    """Nothing more can be performed there: `what` was met, and the `hint` says what to do."""

    def __init__(self, what: str, hint: str) -> None:
        super().__init__(f"{what}; {hint}")
        self.what = what
        self.hint = hint


def each_answered(
    engine: Engine,
    function: Callable[[Asked], Answer],
    asked: Mapping[int, Asked],
    retired: Callable[[int, Exception], Answer],
    again: str = "run it again",
    longest: float | None = None,
) -> Iterator[tuple[int, Answer]]:
    """Number and answer of each call as it comes, every one once. Raises LostFleetError.

    A call that took more processes along than the engine lets it is answered by `retired`. `again` says what to do
    where the whole engine is gone. `longest` are the seconds that one call may take: a process that hangs without an
    end of its own is waited for that long, and no longer.
    """
    running: dict[Future[Answer], int] = {engine.submit(function, one): number for number, one in asked.items()}
    renewals = 0
    patience = None if longest is None else longest + QUEUED
    try:
        while running:
            done, _ = wait(running, timeout=patience, return_when=FIRST_COMPLETED)
            if not done:
                raise LostFleetError(f"nothing of the cluster answered for {patience:.0f} s", again)
            patience = None if longest is None else longest + STARTING
            broken = []
            for future in done:
                number = running.pop(future)
                try:
                    answer = future.result()
                except BrokenExecutor as error:
                    broken.append((number, error))
                    continue
                except Exception as error:  # of the engine: the functions raise nothing
                    if type(error).__name__ != "KilledWorker":  # Dask's name, which need not be installed
                        raise _lost(error, again) from error
                    answer = retired(number, error)
                renewals = 0
                yield number, answer
            if broken:
                renewals += 1
                left = [number for number, _ in broken] + [*running.values()]
                if renewals > MOST_RENEWALS:
                    raise LostFleetError(f"the executor broke {renewals} times: {broken[0][1]}", "use another one")
                engine.renew()
                running = {engine.submit(function, asked[number]): number for number in left}
    finally:
        for future in running:
            future.cancel()


def _lost(error: Exception, again: str) -> LostFleetError:
    if isinstance(error, (CancelledError, OSError, TimeoutError)):
        return LostFleetError(f"the cluster is gone ({type(error).__name__})", again)
    return LostFleetError(f"a process of the cluster failed: {type(error).__name__}: {error}", _INSTALL)
