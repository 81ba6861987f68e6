"""What a long run is doing, on stderr: a line that is gone when the run ends, or lines that stay for slow targets."""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Callable
from types import TracebackType

FIRST_AFTER = 1.0  # seconds; a run that is over by then shows nothing
_EVERY = 0.2
_SLOW = 10.0  # seconds after which a target is named


class Progress:
    """A line that changes, on a terminal only.

    Shows the last stage it was given, with the seconds so far. Does nothing where `shown` is false."""

    def __init__(self, shown: bool) -> None:
        self._stage = ""
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True) if shown else None

    def __call__(self, stage: str) -> None:
        self._stage = stage

    def __enter__(self) -> Progress:
        if self._thread is not None:
            self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._done.set()
        if self._thread is not None:
            self._thread.join()

    def _run(self) -> None:
        started = time.monotonic()
        written = False
        while not self._done.wait(_EVERY if written else FIRST_AFTER):
            line = f"compilelint: {self._stage or 'starting'} ({time.monotonic() - started:.0f} s)"
            import shutil  # with three libraries of compression

            sys.stderr.write("\r" + line[: shutil.get_terminal_size().columns - 1] + "\x1b[K")
            sys.stderr.flush()
            written = True
        if written:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()


class Slow:
    """Names each target that takes long, with its phase and its seconds, in lines for people and for files.

    A target is named after ten seconds, and again each time it has taken twice as long. Does nothing where `shown` is
    false.
    """

    def __init__(self, say: Callable[[str], None], shown: bool) -> None:
        self._say = say
        self._shown = shown
        self._lock = threading.Lock()
        self._running: dict[str, tuple[str, float, float]] = {}  # by target its phase, its start, the next line's time
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True) if shown else None

    def began(self, target: str, phase: str) -> None:
        """A target enters a phase."""
        now = time.monotonic()
        with self._lock:
            _, start, following = self._running.get(target, ("", now, _SLOW))
            self._running[target] = (phase, start, following)

    def done(self, target: str) -> None:
        """A target is no longer running."""
        with self._lock:
            self._running.pop(target, None)

    def lines(self, now: float) -> list[str]:
        """What is to be said at a time."""
        found = []
        with self._lock:
            for target, (phase, start, following) in self._running.items():
                if now - start >= following:
                    self._running[target] = (phase, start, 2 * following)
                    found.append(f"{target}: still in phase {phase!r} after {now - start:.0f} s")
        return found

    def __enter__(self) -> Slow:
        if self._thread is not None:
            self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._ended.set()
        if self._thread is not None:
            self._thread.join()

    def _run(self) -> None:
        while not self._ended.wait(1.0):
            for line in self.lines(time.monotonic()):
                self._say(line)


def wanted(quiet: bool, verbose: bool) -> bool:
    """Whether to show progress: stderr is a terminal that can erase, and no log lines run through it."""
    return not quiet and not verbose and sys.stderr.isatty() and os.environ.get("TERM") != "dumb"
