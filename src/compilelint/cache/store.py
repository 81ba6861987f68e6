"""A folder of entries: bytes under a key, checked when read, replaced whole when written, the oldest dropped first.

Guarantee: `get` returns what some `put` of the same user was given under that key, or None. A flipped bit, half a file,
a file of anyone else or a folder that cannot be written is a miss. Several processes may use one folder: the last to
write wins, and none reads half an entry. Nothing is unpickled or executed.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import stat
from collections.abc import Iterator
from pathlib import Path

from compilelint.cache.secret import user_secret
from compilelint.disk.write import NotWrittenError, remove_left_over, replace_bytes
from compilelint.model.patterns import late_pattern
from compilelint.model.slotted import dataclass

MOST_BYTES = 256_000_000
"""What a store may take on disk; after a run that wrote, the entries used longest ago go."""

_MARK = b"compilelint-entry-2\n"
_DIGEST = 32
_TAG = "Signature: 8a477f597d28d172789f06886806bc55\n# Results of earlier runs of compilelint; may be deleted.\n"
_ENTRY = late_pattern(r"[0-9a-f]{32}\.entry")


@dataclass(frozen=True, slots=True)
class Entry:
    """A file of the store: what it takes, and when it was last used (seconds since the epoch)."""

    path: Path
    size: int
    used: float


class Store:
    """Entries in `folder`, which is made when the first is written.

    `secret` marks them as their author's (`cache.secret`); without one nothing is read or written.
    """

    def __init__(self, folder: Path, secret: bytes | None, most_bytes: int = MOST_BYTES) -> None:
        self.folder = folder
        self._secret = secret
        self._most_bytes = most_bytes
        self._wrote = False

    def get(self, key: str) -> bytes | None:
        """What was put under a key, or None."""
        path = self._path(key)
        data = None if self._secret is None else self._read(path)
        if self._secret is None or data is None:
            return None
        content = data[len(_MARK) + _DIGEST :]
        import hmac

        if not hmac.compare_digest(data[: len(_MARK) + _DIGEST], _MARK + _checksum(self._secret, key, content)):
            return None
        with contextlib.suppress(OSError):  # read-only: it may be dropped early
            os.utime(path)
        return content

    def put(self, key: str, content: bytes) -> None:
        """Keep something under a key. Where the disk does not let us, nothing happens."""
        path = self._path(key)
        if self._secret is None or len(content) > self._most_bytes:
            return
        with contextlib.suppress(OSError, NotWrittenError):
            self._make_folder()
            replace_bytes(str(path), _MARK + _checksum(self._secret, key, content) + content)
            self._wrote = True

    def close(self) -> None:
        """Drop what was used longest ago until the store is within its bounds, and what killed writers left."""
        if not self._wrote:
            return
        found = [(status.st_mtime, name, status.st_size) for name, status in self._found()]
        total = sum(size for _, _, size in found)
        for _, name, size in sorted(found) if total > self._most_bytes else ():
            if total <= self._most_bytes:
                break
            _remove(self.folder / name)
            total -= size

    def entries(self) -> Iterator[Entry]:
        """Everything in the store; what killed writers left is removed on the way."""
        for name, status in sorted(self._found()):
            yield Entry(self.folder / name, status.st_size, status.st_mtime)

    def _found(self) -> Iterator[tuple[str, os.stat_result]]:
        """The names and states of all entries; what killed writers left is removed first."""
        remove_left_over(str(self.folder))
        with contextlib.suppress(OSError), os.scandir(self.folder) as listing:
            for one in listing:
                if _ENTRY.fullmatch(one.name):
                    with contextlib.suppress(OSError):  # another run was faster
                        yield one.name, one.stat()

    def clean(self) -> tuple[int, int]:
        """Remove every entry; how many, and how many bytes. Files that are not ours stay."""
        count = size = 0
        for one in list(self.entries()):
            if _remove(one.path):
                count, size = count + 1, size + one.size
        return count, size

    def _path(self, key: str) -> Path:
        return (
            self.folder / f"{hashlib.blake2b(key.encode('utf-8', 'surrogatepass'), digest_size=16).hexdigest()}.entry"
        )

    def _read(self, path: Path) -> bytes | None:
        """The bytes of an entry: a regular file, no larger than the store may be."""
        try:
            descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))
        except OSError:
            return None
        try:
            with os.fdopen(descriptor, "rb") as opened:
                status = os.fstat(descriptor)
                if not stat.S_ISREG(status.st_mode) or status.st_size > self._most_bytes + len(_MARK) + _DIGEST:
                    return None
                return opened.read()
        except OSError:
            return None

    def _make_folder(self) -> None:
        if self.folder.is_dir():
            return
        self.folder.mkdir(parents=True, exist_ok=True)
        replace_bytes(str(self.folder / "CACHEDIR.TAG"), _TAG.encode("ascii"))
        replace_bytes(str(self.folder / ".gitignore"), b"*\n")


def store_in(folder: str | None) -> Store:
    """The store in a folder; in the user's cache folder, as the platform has it, where none is named."""
    if folder is None:
        import platformdirs

        folder = platformdirs.user_cache_dir("compilelint", appauthor=False)
    return Store(Path(folder), user_secret())


def _checksum(secret: bytes, key: str, content: bytes) -> bytes:
    """Of the user's own making, and over the key too, so that an entry under another's name is no entry."""
    digest = hashlib.blake2b(key=secret, digest_size=_DIGEST)
    digest.update(key.encode("utf-8", "surrogatepass"))
    digest.update(b"\0")
    digest.update(content)
    return digest.digest()


def _remove(path: Path) -> bool:
    try:
        path.unlink()
    except OSError:
        return False
    return True
