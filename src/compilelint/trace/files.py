"""Which files hold a run's log, and their lines: a file, a folder of one file a process, `.gz`, a `tl_out` of tlparse.

Only files that the user named or that lie in a folder that they named are opened, links that lead out of it are not.
"""

from __future__ import annotations

import gzip
import os
import zlib
from collections.abc import Iterator
from typing import IO, NamedTuple

from compilelint.disk.read import NotReadError, read_bytes
from compilelint.model.patterns import late_pattern
from compilelint.trace.read import MOST_LINE

_RANK = late_pattern(r"rank[_-]?(\d{1,6})(?!\d)")
_ATTEMPT = late_pattern(r"(?:attempt|restart)[_-]?(\d{1,4})(?!\d)")
_TL_OUT = ("raw.log", "raw.jsonl")
_LOGS = (".log", ".txt", ".out", ".err", ".jsonl", ".stderr", ".stdout")
_MOST_FILES = 100_000
_MOST_DEPTH = 8
_MOST_PAYLOAD = 1_000_000


class Source(NamedTuple):
    """One file of a log: the rank and the attempt that its name or folder says, None where they say none.

    `home` is the `tl_out` folder in which payloads lie in files of their own, empty for other logs.
    """

    path: str
    rank: int | None
    attempt: int | None
    home: str = ""


def sources_of(path: str) -> list[Source]:
    """The files of a path, in the order of their names. Raises NotReadError where there is none."""
    if not os.path.isdir(path):
        if not os.path.isfile(path):
            raise NotReadError("missing", "there is no such file or folder")
        return [_source(path, path)]
    found = [_source(one, os.path.relpath(one, path)) for one in _files(path, 0)]
    if not found:
        raise NotReadError(
            "missing", "there is no log in the folder (files that end in .log, .txt, .out, .err or .jsonl, or .gz)"
        )
    return found[:_MOST_FILES]


def _files(folder: str, depth: int) -> Iterator[str]:
    """The logs below a folder; of a `tl_out` only the raw log, since all else there was made of it."""
    try:
        entries = sorted(os.scandir(folder), key=lambda one: one.name)
    except OSError:
        return
    names = {entry.name for entry in entries}
    if "compile_directory.json" in names or "failures_and_restarts.html" in names:
        raw = next((name for name in _TL_OUT if name in names), "")
        if raw:
            yield os.path.join(folder, raw)
            return
    for entry in entries:
        if entry.is_symlink():
            continue
        if entry.is_dir() and depth < _MOST_DEPTH:
            yield from _files(entry.path, depth + 1)
        elif entry.is_file() and entry.name.removesuffix(".gz").endswith(_LOGS):
            yield entry.path


def _source(path: str, shown: str) -> Source:
    words = shown.replace(os.sep, "/")
    if os.path.isabs(shown):
        words = os.path.basename(path)
    rank, attempt = _RANK.search(words), _ATTEMPT.search(words)
    home = os.path.dirname(path) if os.path.basename(path) == "raw.jsonl" else ""
    return Source(path, int(rank[1]) if rank else None, int(attempt[1]) if attempt else None, home)


def lines_of(path: str) -> Iterator[bytes]:
    """The lines of a file, each cut to its bound; a `.gz` that is damaged ends where the damage is.

    Raises NotReadError where the file cannot be opened.
    """
    try:
        opened: IO[bytes] = open(path, "rb")  # noqa: SIM115 - closed below, or by the one that reads it
    except OSError as error:
        raise NotReadError("io", (error.strerror or str(error)).lower()) from error
    with opened:
        zipped = opened.read(2) == b"\x1f\x8b"
        opened.seek(0)
        stream: IO[bytes] = gzip.GzipFile(fileobj=opened) if zipped else opened  # type: ignore[assignment]
        yield from _bounded(stream)


def _bounded(stream: IO[bytes]) -> Iterator[bytes]:
    over = False  # within a line whose beginning was given
    while True:
        try:
            line = stream.readline(MOST_LINE)
        except (OSError, EOFError, zlib.error):
            return
        if not line:
            return
        if not over:
            yield line
        over = not line.endswith(b"\n")


def payload_below(home: str, name: str) -> str:
    """The text of a payload's file in a `tl_out` folder; empty where the name leads elsewhere or it cannot be read."""
    if not home or "\0" in name:
        return ""
    path = os.path.realpath(os.path.join(home, name))
    if not path.startswith(os.path.realpath(home) + os.sep):
        return ""
    try:
        return read_bytes(path, _MOST_PAYLOAD).decode("utf-8", "replace")
    except NotReadError:
        return ""
