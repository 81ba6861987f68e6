"""What a run says: prints, calls of loggers, and variables of the process, so that a change that drops one is seen."""

from __future__ import annotations

import contextlib
import io
import logging
import os
import re
import sys
import warnings
from collections.abc import Iterator
from typing import Any

from compilelint.dynamic.worker.recorder import is_watchable

_ADDRESS = re.compile(r"\b0x[0-9a-f]+\b")
_MOST = 2000  # characters that are kept of all that is said


class Said:
    """The words of one run, without addresses, which no two processes share."""

    def __init__(self, loud: bool = False, eager: bool = True) -> None:
        self._loud, self._eager = loud, eager
        self._printed = io.StringIO()
        self._logged: list[str] = []

    @property
    def words(self) -> str:
        """Everything that was printed, then everything that was logged; the beginning of it."""
        text = "\n".join((self._printed.getvalue(), *self._logged))
        return _ADDRESS.sub("0x", text)[:_MOST].strip()

    @contextlib.contextmanager
    def listening(self) -> Iterator[None]:
        """Keep what is said inside; nothing of it is shown, since exercises say it many times."""
        owner: Any = logging.Logger
        before, environment = owner.handle, dict(os.environ)

        def handle(logger: logging.Logger, record: logging.LogRecord) -> None:
            if not record.name.startswith("torch."):
                self._logged.append(f"{record.levelname} {record.name}: {record.getMessage()}")

        owner.handle = handle
        try:
            with contextlib.redirect_stdout(self._printed), self._hearing_more():
                yield
        finally:
            owner.handle = before
            if self._eager:  # a compiler sets variables of its own
                self._note_environment(environment)

    def _note_environment(self, before: dict[str, str]) -> None:
        """Keep what was set and removed of the process's variables, and put it back, so that each run shows it."""
        after = dict(os.environ)
        changed = sorted(name for name in {*before, *after} if before.get(name) != after.get(name))
        self._logged += [f"environment {name}: {after.get(name, 'removed')}" for name in changed]
        for name in changed:
            if name in before:
                os.environ[name] = before[name]
            else:
                del os.environ[name]

    @contextlib.contextmanager
    def _hearing_more(self) -> Iterator[None]:
        """Keep warnings of the user's code and what goes to stderr too, and with `loud` what is logged at any level.

        Dynamo traces `warnings.warn` and knows it, so that it stays as it is in compiled runs.
        """
        if not self._eager:
            yield
            return
        owner: Any = logging.Logger
        warn, show, level = warnings.warn, warnings.showwarning, owner.getEffectiveLevel

        def warned(message: Any, category: Any = None, *args: Any, **more: Any) -> None:
            if is_watchable(sys._getframe(1).f_code.co_filename):
                kind = type(message) if isinstance(message, Warning) else category or UserWarning
                self._logged.append(f"{kind.__name__}: {message}")
            warn(message, category, *args, **more)

        warnings.warn = warned
        warnings.showwarning = lambda *args, **more: None
        if self._loud:
            owner.getEffectiveLevel = lambda logger: level(logger) if logger.name.startswith("torch") else 1
            _forget_levels()
        try:
            with contextlib.redirect_stderr(self._printed):
                yield
        finally:
            warnings.warn, warnings.showwarning, owner.getEffectiveLevel = warn, show, level
            if self._loud:
                _forget_levels()


def _forget_levels() -> None:
    """Loggers keep whether they are enabled."""
    for logger in [logging.root, *logging.root.manager.loggerDict.values()]:
        if isinstance(logger, logging.Logger):
            logger._cache.clear()  # type: ignore[attr-defined]
