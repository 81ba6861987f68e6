"""The three standard streams as they may really be: closed, full, or the end of a pipe without a reader.

A descriptor that was closed before we started would be given to the next file that is opened, and a report or an error
would be written into it. So closed ones are opened on the null device, and writing to a closed output says so.
"""

from __future__ import annotations

import errno
import io
import os
import sys
from collections.abc import Sequence

_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


class ClosedOutput(io.TextIOBase):
    """What stands for a standard output that is closed: writing fails as it would have."""

    def writable(self) -> bool:
        """It looks like a stream, so that a caller tries to print."""
        return True

    def write(self, text: str) -> int:
        """Nothing is written. Raises OSError."""
        raise OSError(errno.EBADF, "it is closed")


def guard_streams() -> None:
    """Occupy closed descriptors, and give Python streams where it has none."""
    for number in (0, 1, 2):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # the lowest free descriptor is this one
    if sys.stdout is None:
        sys.stdout = ClosedOutput()
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115 - it lives as long as the process
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # a terminal without the character gets its number


def without_foreign_folders(path: Sequence[str], package: str = _PACKAGE) -> list[str]:
    """The import path without the current folder, unless our own package was imported from it.

    What is linted often lies in the current folder, and its `random.py` must not become ours, here or in a worker.
    """
    here = os.path.realpath(os.getcwd())
    home = os.path.realpath(os.path.dirname(package))
    return [entry for entry in path if os.path.realpath(entry or here) != here or here == home]
