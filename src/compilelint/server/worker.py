"""The thread that analyses: one job at a time, and of several about the same thing the latest alone.

Typing faster than an analysis takes never queues: what waits under a key is replaced by what is asked next.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from typing import Any

from compilelint.interp.core.clock import StoppedError

_log = logging.getLogger(__name__)

Job = Callable[[], Any]
Done = Callable[[Any, BaseException | None], None]


class Worker:
    """Runs jobs in a thread of its own, the ones asked for last first. `done` is called in that thread."""

    def __init__(self) -> None:
        self._waiting: dict[object, tuple[Job, Done]] = {}
        self._changed = threading.Condition()
        self._ended = False
        self._thread = threading.Thread(target=self._run, name="compilelint-analysis", daemon=True)

    def ask(self, key: object, job: Job, done: Done) -> None:
        """Run a job in place of what waits under its key."""
        with self._changed:
            if self._ended:
                return
            self._waiting.pop(key, None)
            self._waiting[key] = job, done
            if not self._thread.is_alive():
                self._thread.start()
            self._changed.notify()

    def waits(self, key: object) -> bool:
        """Whether a job waits under a key."""
        with self._changed:
            return key in self._waiting

    @property
    def ended(self) -> bool:
        """Whether no result is wanted any more."""
        with self._changed:
            return self._ended

    def end(self) -> None:
        """Begin no other job, and drop what the one at work finds."""
        with self._changed:
            self._ended = True
            self._waiting.clear()
            self._changed.notify()

    def join(self, seconds: float) -> None:
        """Wait for the thread, which ends with the job that it is at."""
        self._thread.join(seconds)

    def _run(self) -> None:
        while True:
            with self._changed:
                while not self._waiting and not self._ended:
                    self._changed.wait()
                if self._ended:
                    return
                _, (job, done) = self._waiting.popitem()
            try:
                outcome, error = job(), None
            except StoppedError:  # what is asked for instead waits already
                continue
            except BaseException as raised:  # noqa: BLE001 - a defect of ours must not end the thread
                _log.exception("an analysis failed")
                outcome, error = None, raised
            if not self.ended:
                done(outcome, error)
