"""The end of a look at one file that takes too long: what was found until then stays.

The survey's walks end, but some take as long as the square of a file of many compiled objects. Each loop over what a
file may hold many of calls `look`. CPU time of this thread is counted, so that a busy machine changes nothing.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

SHARE_AROUND = 4
"""What stands around the compiled code of a file has this part of the time that its roots have."""

_CALLS_A_LOOK = 32

thread_time: Callable[[], float] = getattr(time, "thread_time", time.perf_counter)
"""CPU seconds of this thread; in a browser, which counts none, the seconds of a clock."""


class LateError(Exception):
    """The time for a file is used up."""


_until = math.inf
_calls = 0


@contextmanager
def within(seconds: float) -> Iterator[None]:
    """What runs inside has so many CPU seconds, 0 for any. Not for two threads at once."""
    global _until  # noqa: PLW0603 - the loops that look are far from who sets the time
    before, _until = _until, thread_time() + (seconds or math.inf)
    try:
        yield
    finally:
        _until = before


def look() -> None:
    """Raise LateError where the time is over."""
    global _calls  # noqa: PLW0603 - as above
    _calls += 1
    if _calls >= _CALLS_A_LOOK:
        _calls = 0
        if thread_time() > _until:
            raise LateError
