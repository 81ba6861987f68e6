"""Run a function where deep recursion is safe.

Guarantee: inside `run_with_deep_stack` recursion ends in a `RecursionError`, never in a crash of the process.
The numbers were measured on CPython 3.10 to 3.13 (Linux, 64 bit): with 200,000 frames the greediest recursion
tried (through `sorted(key=...)`) touched 370 MB of stack on 3.11, a plain function 178 MB on 3.10 and nothing
on 3.11 and later, where Python-to-Python calls need no C stack.

On 3.12 and 3.13 CPython counts C calls apart and allows only some 1,500 and 10,000 of them, whatever the stack:
recursion that should go deep there must be plain Python calls (no `map`, `sorted(key=...)`, `__getattr__`).

A browser has no threads: there the function runs in place, with a recursion limit that the engine's stack bears.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from typing import Any, TypeVar

T = TypeVar("T")

STACK_BYTES = 512 * 1024 * 1024
RECURSION_LIMIT = 200_000

HAS_THREADS = sys.platform not in ("emscripten", "wasi")
LIMIT_IN_PLACE = 5_000

# Smaller stacks for machines that refuse the full one (limited address space); frames shrink in proportion.
_ATTEMPTS = (1, 2, 8)

_this_thread = threading.local()


def in_deep_stack() -> bool:
    """Whether the caller already runs inside `run_with_deep_stack`."""
    return getattr(_this_thread, "deep", False)


def run_with_deep_stack(function: Callable[[], T]) -> T:
    """The result of `function()`, run in a thread with a stack of up to 512 MB and a recursion limit to match.

    The stack is reserved, not used: a shallow call costs some 0.1 ms and no memory. Nested calls run in place.
    Whatever `function` raises is raised here. The recursion limit is one for the whole process; it is raised
    while the thread runs and put back afterwards. The thread is a daemon, so that Ctrl-C can end the program.
    """
    if in_deep_stack():
        return function()
    if not HAS_THREADS:
        return _in_place(function)
    outcome: list[T] = []
    failure: list[BaseException] = []

    def body() -> None:
        _this_thread.deep = True
        try:
            outcome.append(function())
        except BaseException as error:  # noqa: BLE001 - raised again in the caller's thread, KeyboardInterrupt too
            failure.append(error)

    limit_before = sys.getrecursionlimit()
    thread, frames = _started(body)
    try:
        sys.setrecursionlimit(max(frames, limit_before))
        thread.go.set()
        thread.join()
    finally:
        sys.setrecursionlimit(limit_before)
    if failure:
        raise failure[0]
    return outcome[0]


def _in_place(function: Callable[[], T]) -> T:
    """The result of `function()` on the stack of the caller, where no thread can be started."""
    limit_before = sys.getrecursionlimit()
    _this_thread.deep = True
    try:
        sys.setrecursionlimit(max(LIMIT_IN_PLACE, limit_before))
        return function()
    finally:
        _this_thread.deep = False
        sys.setrecursionlimit(limit_before)


_HAS_CHUNKS = sys.version_info >= (3, 11)
_SLOTS = 7200
_WIDE = f"""
def widely(function):
    if function is None:
        {"_," * _SLOTS} = function
    return function()
"""
_widely: list[Callable[[Callable[[], Any]], Any]] = []


def with_room(function: Callable[[], T]) -> T:
    """The result of `function()`, called by a frame that leaves 70 KB for the frames of all calls beneath it.

    Frames lie in chunks of 16 KB since CPython 3.11. A call that finds its chunk full maps another one, and unmaps it
    when it returns: at such a depth a loop does so for every call (22,000 times for one model, a tenth of its time and
    more). A frame that asks for more gets a chunk of the next power of two, here of 128 KB, and what it does not use is
    there for the calls beneath. What asks for room is a line that never runs; reading it costs some milliseconds, so it
    is for what takes longer.
    """
    if not _HAS_CHUNKS:
        return function()
    if not _widely:
        known: dict[str, Any] = {}
        exec(_WIDE, known)  # our own text, without anything of what is linted
        _widely.append(known["widely"])
    result: T = _widely[0](function)
    return result


class _GatedThread(threading.Thread):
    """A daemon thread that waits for `go`, so that the recursion limit can follow the stack it really got."""

    def __init__(self, body: Callable[[], None]) -> None:
        super().__init__(name="compilelint-deep-stack", daemon=True)
        self.go = threading.Event()
        self._body = body

    def run(self) -> None:
        self.go.wait()
        self._body()


def _started(body: Callable[[], None]) -> tuple[_GatedThread, int]:
    """A started thread that waits for its `go`, and the recursion limit its stack bears.

    Raises RuntimeError when the system starts no thread even with the smallest stack.
    """
    size_before = threading.stack_size()
    try:
        for attempt in _ATTEMPTS:
            threading.stack_size(STACK_BYTES // attempt)
            thread = _GatedThread(body)
            try:
                thread.start()
            except RuntimeError:
                if attempt == _ATTEMPTS[-1]:
                    raise
                continue
            return thread, RECURSION_LIMIT // attempt
    finally:
        threading.stack_size(size_before)
    raise AssertionError("every attempt returns or raises")
