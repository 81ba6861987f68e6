"""How a report gets into a file: whole, or not at all."""

from __future__ import annotations

import os
import stat
import tempfile


def write_file(path: str, text: str) -> None:
    """Write a whole file or nothing: readers see the old one until the new one is complete. Raises OSError.

    A link is followed. What is no regular file (a pipe, `/dev/null`) is written to, never replaced.
    """
    write_bytes(path, text.encode("utf-8", "backslashreplace"))


def write_bytes(path: str, data: bytes) -> None:
    """`write_file` for bytes."""
    target = os.path.realpath(path)
    mode = _mode(target)
    if mode is not None and not stat.S_ISREG(mode):
        with open(target, "wb") as opened:
            opened.write(data)
        return
    descriptor, temporary = tempfile.mkstemp(prefix=".compilelint-", dir=os.path.dirname(target))
    try:
        with os.fdopen(descriptor, "wb") as opened:
            opened.write(data)
        os.chmod(temporary, _permissions() if mode is None else stat.S_IMODE(mode))
        os.replace(temporary, target)
    except OSError:
        os.unlink(temporary)
        raise


def write_new(path: str, text: str) -> None:
    """Write a file that is not there yet. Raises FileExistsError, and OSError; what is there is never touched."""
    with open(path, "x", encoding="utf-8", newline="\n") as opened:
        opened.write(text)


def _mode(path: str) -> int | None:
    """The file's mode, None if there is no such file."""
    try:
        return os.stat(path).st_mode
    except FileNotFoundError:
        return None


def _permissions() -> int:
    """What a plain `open` would give a new file; the mask can only be read by setting it."""
    mask = os.umask(0o022)
    os.umask(mask)
    return 0o666 & ~mask
