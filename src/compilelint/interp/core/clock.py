"""How much CPU time the roots of one file may take, and the end of a root that takes more.

The interpreter's own bounds (contexts, depth, bodies, passes, sizes of values) end every program that was met; the
clock ends what was not foreseen. It counts the CPU time of this thread, so that a busy machine changes nothing.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

_BODIES_A_LOOK = 64

thread_time: Callable[[], float] = getattr(time, "thread_time", time.perf_counter)
"""CPU seconds of this thread; in a browser, which counts none, the seconds of a clock."""


def never() -> bool:
    """Of a run whose outcome is wanted."""
    return False


class StoppedError(BaseException):
    """The outcome is not wanted any more. No `Exception`: it is no failure of a root, and ends the run."""


class OutOfTimeError(Exception):
    """The roots of a file have used up the time that they have together."""


class Clock:
    """`seconds` of CPU time for each file; 0 is no limit. `spent` is what each has used.

    `stopped` says whether the outcome is still wanted.
    """

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds or math.inf
        self._until = math.inf
        self._bodies = 0
        self.stopped: Callable[[], bool] = never
        self.spent: dict[str, float] = {}

    @contextmanager
    def running(self, path: str) -> Iterator[None]:
        """What runs inside counts for a file. Raises OutOfTimeError at once where nothing is left."""
        before = self.spent.get(path, 0.0)
        if before >= self._seconds:
            raise OutOfTimeError
        begin = thread_time()
        self._until = begin + self._seconds - before
        try:
            yield
        finally:
            self.spent[path] = before + thread_time() - begin
            self._until = math.inf

    def look(self) -> None:
        """Called for every block of code that is run. Raises OutOfTimeError or StoppedError."""
        self._bodies += 1
        if self._bodies >= _BODIES_A_LOOK:
            self._bodies = 0
            if self.stopped():
                raise StoppedError
            self.look_at_time()

    def look_at_time(self) -> None:
        """The same where nothing else may end what is done. Raises OutOfTimeError."""
        if thread_time() > self._until:
            raise OutOfTimeError
