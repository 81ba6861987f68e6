"""A line on stderr that says what a long run is doing: on a terminal only, and gone when the run ends."""

from __future__ import annotations

import os
import sys
import threading
import time
from types import TracebackType

_FIRST_AFTER = 1.0  # seconds; a run that is over by then shows nothing
_EVERY = 0.2


class Progress:
    """Shows the last stage it was given, with the seconds so far. Does nothing where `shown` is false."""

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
        while not self._done.wait(_EVERY if written else _FIRST_AFTER):
            line = f"compilelint: {self._stage or 'starting'} ({time.monotonic() - started:.0f} s)"
            import shutil  # with three libraries of compression

            sys.stderr.write("\r" + line[: shutil.get_terminal_size().columns - 1] + "\x1b[K")
            sys.stderr.flush()
            written = True
        if written:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()


def wanted(quiet: bool, verbose: bool) -> bool:
    """Whether to show progress: stderr is a terminal that can erase, and no log lines run through it."""
    return not quiet and not verbose and sys.stderr.isatty() and os.environ.get("TERM") != "dumb"
