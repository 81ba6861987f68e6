"""What a run says: its prints and its calls of loggers, in order, so that a change that silences one is seen."""

from __future__ import annotations

import contextlib
import io
import logging
import re
from collections.abc import Iterator
from typing import Any

_ADDRESS = re.compile(r"\b0x[0-9a-f]+\b")
_MOST = 2000  # characters that are kept of all that is said


class Said:
    """The words of one run, without addresses, which no two processes share."""

    def __init__(self) -> None:
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
        before = owner.handle

        def handle(logger: logging.Logger, record: logging.LogRecord) -> None:
            if not record.name.startswith("torch."):
                self._logged.append(f"{record.levelname} {record.name}: {record.getMessage()}")

        owner.handle = handle
        try:
            with contextlib.redirect_stdout(self._printed):
                yield
        finally:
            owner.handle = before
