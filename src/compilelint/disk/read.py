"""The one reader of files that strangers wrote: it never blocks, and never takes more than it was given room for.

A FIFO, a device, a folder, and a file that is larger than allowed (or lies about its size, as those of procfs do) are
refused. What is read is handed on as bytes; `disk.data` makes documents of it.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from typing import Literal

Kind = Literal["missing", "permission", "not-a-file", "too-large", "io"]

SMALL = 1_000_000
"""Bytes that configuration, requirements, ignore files and the like may take."""


class NotReadError(Exception):
    """A file that was not read: `message` says why, ready to stand behind "cannot read x: "."""

    def __init__(self, kind: Kind, message: str) -> None:
        super().__init__(message)
        self.kind: Kind = kind
        self.message = message


def read_bytes(path: str, most_bytes: int = SMALL) -> bytes:
    """All of a regular file. Raises NotReadError, also where it holds more than `most_bytes`."""
    # O_NONBLOCK lets the open of a FIFO return, so that it can be refused.
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0)
    try:
        descriptor = os.open(path, flags)
    except (OSError, ValueError) as error:  # ValueError: a null byte in the name
        raise _refused(error, path) from error
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            raise NotReadError("not-a-file", "a folder" if stat.S_ISDIR(status.st_mode) else "not a regular file")
        if status.st_size > most_bytes:
            raise NotReadError("too-large", _too_large(most_bytes))
        data = b"".join(_chunks(descriptor, status.st_size, most_bytes))
    except OSError as error:
        raise _refused(error, path) from error
    finally:
        os.close(descriptor)
    if len(data) > most_bytes:
        raise NotReadError("too-large", _too_large(most_bytes))
    return data


def read_text(path: str, most_bytes: int = SMALL) -> str:
    """The same as UTF-8; what is no UTF-8 becomes U+FFFD. Raises NotReadError."""
    return read_bytes(path, most_bytes).decode("utf-8", "replace")


def _chunks(descriptor: int, expected: int, most_bytes: int) -> Iterator[bytes]:
    """The file's bytes, one more than allowed at most."""
    left = most_bytes + 1
    while left > 0:
        chunk = os.read(descriptor, min(left, max(expected + 1, 65_536)))
        if not chunk:
            return
        left -= len(chunk)
        yield chunk


def _too_large(most_bytes: int) -> str:
    return f"larger than {most_bytes // 1_000_000} MB"


def _refused(error: OSError | ValueError, path: str) -> NotReadError:
    """The kind says what the user can do about it."""
    kind: Kind = "io"
    if isinstance(error, (FileNotFoundError, NotADirectoryError)):
        kind = "missing"
    elif isinstance(error, PermissionError):
        # Windows refuses to open a folder as if it were a matter of rights.
        kind = "not-a-file" if os.path.isdir(path) else "permission"
    message = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    return NotReadError(kind, message[:1].lower() + message[1:])
