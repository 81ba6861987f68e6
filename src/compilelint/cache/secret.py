"""The secret that marks the entries of a cache as this user's own; entries of anyone else are no entries.

It lies in the user's configuration folder, not in the cache: a folder of entries may be restored from somewhere (a
cache of a CI service, to which a pull request may have written), and must not bring the key to itself.
"""

from __future__ import annotations

import contextlib
import os
import stat
from pathlib import Path

from compilelint.disk.write import NotWrittenError, create_bytes

LENGTH = 32
_NAME = "cache-secret"


def user_secret(folder: Path | None = None) -> bytes | None:
    """The secret of this user, made when it is first asked for (mode 0600); `folder` stands in for the user's own.

    None where it cannot be kept, and where what lies there is not this user's alone: a link, a file of another owner or
    one that others may read or write.
    """
    if folder is None:
        import platformdirs

        folder = Path(platformdirs.user_config_dir("compilelint", appauthor=False))
    path = folder / _NAME
    found = _read(path)
    if found is None and not os.path.lexists(path):
        _make(path)
        found = _read(path)  # of two processes that make one, both take what the first left
    return found


def _read(path: Path) -> bytes | None:
    try:
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))
    except OSError:
        return None
    status = os.fstat(descriptor)
    if not stat.S_ISREG(status.st_mode) or not _is_private(status):
        os.close(descriptor)
        return None
    with os.fdopen(descriptor, "rb") as opened:
        data = opened.read(LENGTH + 1)
    return data if len(data) == LENGTH else None


def _is_private(status: os.stat_result) -> bool:
    """Whether only this user can have written and can read it; Windows keeps the folder of a user private itself."""
    return os.name == "nt" or (status.st_uid == os.getuid() and not status.st_mode & 0o077)


def _make(path: Path) -> None:
    """Put a new secret there, whole or not at all, and never in the place of one that is there."""
    with contextlib.suppress(OSError, NotWrittenError):
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        create_bytes(str(path), os.urandom(LENGTH), 0o600)
