"""Rewritten source onto disk: in the style of its file, and only over the text that was linted.

Guarantees: encoding, byte order mark, line ends and the final newline stay as they are; a file that changed since it
was read, or that a link leads to out of the linted paths, or whose encoding does not give back its bytes, is left
alone; what `disk.write` guarantees too.
"""

from __future__ import annotations

import codecs
import os
from collections.abc import Sequence

from compilelint.disk.tree import lies_in
from compilelint.disk.write import NotWrittenError, write_all_bytes
from compilelint.model.patterns import late_pattern
from compilelint.syntax.source import Source, read_bytes, source_from_bytes
from compilelint.syntax.unreadable import Unreadable

_LINE_END = late_pattern(r"\r\n?|\n")


def write(source: Source, text: str, within: Sequence[str]) -> None:
    """Put `text` (normalised newlines) in the place of the file that `source` was read from.

    `within` are the linted paths: the file's real place must lie in one of their real places. Raises NotWrittenError.
    """
    write_together([(source, text)], within)


def write_together(texts: Sequence[tuple[Source, str]], within: Sequence[str]) -> None:
    """Do so for several files, all or none of them, one after the other in this order.

    Where one cannot be replaced, those before it are what they were. Raises NotWrittenError, which names the one.
    """
    wanted = (_wanted(source, text, within) for source, text in texts)
    write_all_bytes([one for one in wanted if one is not None])


def _wanted(source: Source, text: str, within: Sequence[str]) -> tuple[str, bytes, bytes] | None:
    """A file's path, its new bytes and its old ones; None where nothing changes. Raises NotWrittenError."""
    path = source.path
    real = os.path.realpath(path)
    if not any(lies_in(real, os.path.realpath(one)) for one in within):
        raise NotWrittenError(path, f"it is a link to {real}, outside the linted paths")
    data = read_bytes(path)
    if isinstance(data, Unreadable):
        raise NotWrittenError(path, data.message)
    if source_from_bytes(path, data) != source:
        raise NotWrittenError(path, "it changed during the run")
    if encoded(source, data, source.text) != data:  # UTF-7 has several spellings of one character, say
        raise NotWrittenError(path, f"its encoding {source.encoding} does not round-trip the bytes that were read")
    new = encoded(source, data, text)
    return (path, new, data) if new != data else None


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
