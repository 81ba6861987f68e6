"""Text onto disk: whole, or not at all.

Guarantees: a file is either old or new at every moment, also where the run is killed (a new file in the same folder is
flushed to disk and renamed over the old one); mode, encoding, byte order mark, line ends and the final newline stay as
they are; a file that changed since it was read, that may not be written, or that lies elsewhere than it seems (a
symbolic link) is left alone and the reason told.
"""

from __future__ import annotations

import codecs
import os
import re
import stat
import tempfile
from collections.abc import Sequence

from compilelint.syntax.source import Source, source_from_bytes

_LINE_END = re.compile(r"\r\n?|\n")


class NotWrittenError(Exception):
    """A file that was left alone: `reason` says why, `path` which."""

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(f"{path} was left alone: {reason}")
        self.path = path
        self.reason = reason


def write(source: Source, text: str, within: Sequence[str]) -> None:
    """Put `text` (normalised newlines) in the place of the file that `source` was read from.

    `within` are the linted paths: the file's real place must lie in one of their real places. Raises NotWrittenError.
    """
    path = source.path
    real = os.path.realpath(path)
    if not any(_lies_in(real, os.path.realpath(one)) for one in within):
        raise NotWrittenError(path, f"it is a link to {real}, outside the linted paths")
    try:
        before = os.stat(real)
        with open(real, "rb") as file:
            data = file.read()
    except OSError as error:
        raise NotWrittenError(path, error.strerror or str(error)) from error
    if not before.st_mode & stat.S_IWUSR or not os.access(real, os.W_OK):
        raise NotWrittenError(path, "it is read-only")
    now = source_from_bytes(path, data)
    if now != source:
        raise NotWrittenError(path, "it changed while it was linted")
    new = encoded(source, data, text)
    if new != data:
        _replace(real, new, data, before)


def _lies_in(real: str, folder: str) -> bool:
    return real == folder or real.startswith(folder.rstrip(os.sep) + os.sep)


def encoded(source: Source, data: bytes, text: str) -> bytes:
    """`text` as bytes in the style of the file's bytes; lines that stay keep their own line end where styles are mixed.

    Raises NotWrittenError where the encoding lacks a character.
    """
    try:
        if source.newline is not None:
            return source.encode(text)
        mark = codecs.BOM_UTF8 if source.bom else b""
        return mark + _mixed(source, data, text).encode(source.encoding)
    except UnicodeEncodeError as error:
        lacking = error.object[error.start]
        raise NotWrittenError(source.path, f"its encoding {source.encoding} has no {lacking!r}") from error


def _mixed(source: Source, data: bytes, text: str) -> str:
    """`text` with the line ends of the old file: lines before and after the changed stretch keep theirs."""
    body = data.removeprefix(codecs.BOM_UTF8) if source.bom else data
    ends = _LINE_END.findall(body.decode(source.encoding))
    old, new = source.text.split("\n"), text.split("\n")
    head = 0
    while head < min(len(old), len(new)) - 1 and old[head] == new[head]:
        head += 1
    tail = 0
    while tail < min(len(old), len(new)) - 1 - head and old[-1 - tail] == new[-1 - tail]:
        tail += 1
    common = max(dict.fromkeys(ends), key=ends.count)
    count = len(new) - 1
    kept_tail = ends[len(ends) - tail :] if tail else []
    chosen = ends[:head] + [common] * (count - head - len(kept_tail)) + kept_tail
    return "".join(line + end for line, end in zip(new, [*chosen, ""], strict=True))


def _replace(real: str, new: bytes, old: bytes, before: os.stat_result) -> None:
    """Write beside the file, flush, give it the old mode, look once more whether the file is the old one, rename."""
    folder = os.path.dirname(real)
    try:
        descriptor, beside = tempfile.mkstemp(prefix=".compilelint-", dir=folder)
    except OSError as error:
        raise NotWrittenError(real, f"no file can be made beside it: {error.strerror}") from error
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(new)
            file.flush()
            os.fchmod(file.fileno(), stat.S_IMODE(before.st_mode))
            os.fsync(file.fileno())
        with open(real, "rb") as file:
            if file.read() != old:
                raise NotWrittenError(real, "it changed while it was linted")
        os.replace(beside, real)
    except OSError as error:
        raise NotWrittenError(real, error.strerror or str(error)) from error
    finally:
        if os.path.exists(beside):
            os.unlink(beside)
