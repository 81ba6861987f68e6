"""The one writer: bytes onto disk, whole or not at all, and only where the path says.

Guarantees: a file is either old or new at every moment, also where the run is killed (a new file in the same folder is
flushed to disk and renamed over the old one); its permissions, owner, group and attributes stay, or it does; a
read-only file, and one that a link leads to out of the tree it seems to lie in, is left alone. What a killed run leaves
beside a file is removed by the next that writes there.
"""

from __future__ import annotations

import contextlib
import errno
import os
import re
import stat
import time
from collections.abc import Sequence

from compilelint.disk.tree import leads_out
from compilelint.model.patterns import late_pattern

_BEGIN, _END = ".compilelint-", ".tmp"
_OURS = late_pattern(re.escape(_BEGIN) + r"[a-z0-9_]{8}" + re.escape(_END))
# A writer that is still at it after this many seconds was killed: a write takes milliseconds.
_WRITING_S = 600.0
_DEVICES = "/dev/"
# Attributes of a user's own, and the access list; those of the system are made again with each file.
_KEPT = ("user.", "system.posix_acl_access")


class NotWrittenError(Exception):
    """A file that was left alone: `reason` says why, `path` which."""

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(f"{path} was not written: {reason}")
        self.path = path
        self.reason = reason


def write_text(path: str, text: str) -> None:
    """A whole text as UTF-8; lone surrogates become escapes. Raises NotWrittenError."""
    write_bytes(path, text.encode("utf-8", "backslashreplace"))


def write_bytes(path: str, data: bytes, *, expected: bytes | None = None) -> None:
    """Put `data` in the place of a file, or make it. Raises NotWrittenError.

    With `expected`, only where the file still holds that. A link within its tree stays one. What is no regular file
    (a pipe, `/dev/null`) is written to, never replaced.
    """
    device = os.path.abspath(path).startswith(_DEVICES)
    try:
        if not device and leads_out(path):
            raise NotWrittenError(path, "a link leads out of the tree that it is in")
        real = os.path.realpath(path)
        mode = _mode(real)
        if mode is not None and not stat.S_ISREG(mode):
            _stream(path, data)
            return
        if mode is not None and not (mode & stat.S_IWUSR and os.access(real, os.W_OK)):
            raise NotWrittenError(path, "it is read-only")
        _replace(path, real, data, mode, expected)
    except (OSError, ValueError) as error:  # ValueError: a null byte in the name
        raise NotWrittenError(path, reason_of(error)) from error


def write_all_bytes(files: Sequence[tuple[str, bytes, bytes]]) -> None:
    """Put new bytes in the place of several files: all of them, or none. Raises NotWrittenError.

    Each is a path, what to write, and what the file must still hold. Every new file is complete on the disk before
    the first is put in its place; they follow in the given order, and where one cannot, those before it get back what
    they held. A run that is killed in between leaves the first ones new and the others old.
    """
    if len(files) == 1:
        ((path, data, expected),) = files
        write_bytes(path, data, expected=expected)
        return
    with contextlib.ExitStack() as left:
        ready: list[tuple[str, str, str, bytes]] = []
        for path, data, expected in files:
            try:
                if leads_out(path):
                    raise NotWrittenError(path, "a link leads out of the tree that it is in")
                real = os.path.realpath(path)
                mode = _mode(real)
                if mode is None or not stat.S_ISREG(mode):
                    raise NotWrittenError(path, "it was removed or replaced during the run")
                if not (mode & stat.S_IWUSR and os.access(real, os.W_OK)):
                    raise NotWrittenError(path, "it is read-only")
                beside = _beside(real, data, mode)
                left.callback(_remove, beside)
                ready.append((path, real, beside, expected))
            except (OSError, ValueError) as error:
                raise NotWrittenError(path, reason_of(error)) from error
        _put(ready)


def _put(ready: Sequence[tuple[str, str, str, bytes]]) -> None:
    """Complete files in their places, each a path, its real one, the new file and what is there; or all as it was."""
    done: list[tuple[str, bytes]] = []
    for path, real, beside, expected in ready:
        try:
            if _content(real, len(expected)) != expected:
                raise NotWrittenError(path, "it changed during the run")
            os.replace(beside, real)
        except (NotWrittenError, OSError) as error:
            for earlier, held in reversed(done):
                _replace(earlier, earlier, held, _mode(earlier), None)
            if isinstance(error, NotWrittenError):
                raise
            raise NotWrittenError(path, reason_of(error)) from error
        done.append((real, expected))


def replace_bytes(path: str, data: bytes) -> None:
    """Put a file of our own, readable by this user alone, in the place of whatever is there. Raises NotWrittenError.

    For folders that hold nothing but such files: a link is replaced, not followed, and the disk may take its time,
    since what is half there after a crash is known for it when it is read.
    """
    try:
        beside = _made(os.path.dirname(path), data, 0o600, flushed=False)
        try:
            os.replace(beside, path)
        finally:
            _remove(beside)
    except (OSError, ValueError) as error:
        raise NotWrittenError(path, reason_of(error)) from error


def create_text(path: str, text: str) -> None:
    """A file that is not there yet. Raises FileExistsError, and NotWrittenError; what is there is never touched."""
    create_bytes(path, text.encode("utf-8", "backslashreplace"))


def create_bytes(path: str, data: bytes, mode: int | None = None) -> None:
    """The same of bytes; `mode` is that of a plain new file unless it is given."""
    try:
        if leads_out(path):
            raise NotWrittenError(path, "a link leads out of the tree that it is in")
        beside = _beside(os.path.realpath(path), data, mode)
        try:
            _link(beside, path)
        finally:
            _remove(beside)
    except FileExistsError:
        raise
    except (OSError, ValueError) as error:
        raise NotWrittenError(path, reason_of(error)) from error


def _link(beside: str, path: str) -> None:
    """Windows follows links whether asked or not; ours is none."""
    if os.link in os.supports_follow_symlinks:
        os.link(beside, path, follow_symlinks=False)
    else:
        os.link(beside, path)


def reason_of(error: OSError | ValueError) -> str:
    """What the system says, as a sentence part."""
    words = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    return words[:1].lower() + words[1:]


def _stream(path: str, data: bytes) -> None:
    """Write to a pipe or a device. A pipe that nothing reads from is refused: opening it would wait for ever."""
    try:
        descriptor = os.open(path, os.O_WRONLY | getattr(os, "O_NONBLOCK", 0))
    except OSError as error:
        if error.errno == errno.ENXIO:
            raise NotWrittenError(path, "nothing reads from it") from error
        raise
    with open(descriptor, "wb") as opened:
        if hasattr(os, "O_NONBLOCK"):
            os.set_blocking(descriptor, True)
        opened.write(data)


def _replace(path: str, real: str, data: bytes, mode: int | None, expected: bytes | None) -> None:
    beside = _beside(real, data, mode)
    try:
        if expected is not None and _content(real, len(expected)) != expected:
            raise NotWrittenError(path, "it changed during the run")
        os.replace(beside, real)
    finally:
        _remove(beside)


def _beside(real: str, data: bytes, mode: int | None) -> str:
    """A file of our own next to another, complete and flushed; with the other's mode, or a new file's."""
    folder = os.path.dirname(real)
    remove_left_over(folder)
    # Never the bits of another user or group: the new file is ours, and what stands in it a stranger's.
    beside = _made(folder, data, _permissions() if mode is None else mode & 0o777, flushed=True)
    try:
        if os.path.exists(real):
            _take_over(beside, real)
    except BaseException:
        _remove(beside)
        raise
    return beside


def _take_over(beside: str, real: str) -> None:
    """Give a new file the owner, the group and the attributes of the one that it replaces. Raises NotWrittenError."""
    owner = _owner(real)
    if owner != _owner(beside) and hasattr(os, "chown"):
        try:
            os.chown(beside, *owner)
        except PermissionError as error:
            raise NotWrittenError(real, "it belongs to another user or group, which cannot be kept") from error
    for name in os.listxattr(real) if hasattr(os, "listxattr") else ():
        if name.startswith(_KEPT):
            try:
                os.setxattr(beside, name, os.getxattr(real, name))
            except OSError as error:
                raise NotWrittenError(real, f"its attribute {name} cannot be kept") from error


def _owner(path: str) -> tuple[int, int]:
    status = os.stat(path)
    return status.st_uid, status.st_gid


def _made(folder: str, data: bytes, mode: int, *, flushed: bool) -> str:
    """A complete new file under a name of ours."""
    descriptor, beside = _new_file(folder)
    try:
        with os.fdopen(descriptor, "wb") as opened:
            opened.write(data)
            opened.flush()
            os.chmod(beside, mode)
            if flushed:
                os.fsync(opened.fileno())
    except BaseException:
        _remove(beside)
        raise
    return beside


def _new_file(folder: str) -> tuple[int, str]:
    """A new file that only we may read or write, and its path; what `tempfile` does, without what it imports."""
    flags = os.O_RDWR | os.O_CREAT | os.O_EXCL
    for name in ("O_NOFOLLOW", "O_CLOEXEC", "O_BINARY", "O_NOINHERIT"):
        flags |= getattr(os, name, 0)
    while True:
        beside = os.path.join(os.path.abspath(folder), f"{_BEGIN}{os.urandom(4).hex()}{_END}")
        with contextlib.suppress(FileExistsError):
            return os.open(beside, flags, 0o600), beside


def remove_left_over(folder: str) -> None:
    """What killed runs left in a folder: our own names, regular files, too old to be written still."""
    now = time.time()
    with contextlib.suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            if _OURS.fullmatch(entry.name) and entry.is_file(follow_symlinks=False):
                with contextlib.suppress(OSError):
                    if now - entry.stat(follow_symlinks=False).st_mtime > _WRITING_S:
                        os.unlink(entry.path)


def _content(path: str, expected: int) -> bytes:
    """What a file holds, one byte more than expected at most."""
    with open(path, "rb") as opened:
        return opened.read(expected + 1)


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


def _remove(path: str) -> None:
    with contextlib.suppress(OSError):
        os.unlink(path)
