"""Writing pragmas: a file's bytes with `# compilelint: ignore[...]` on the lines of given findings.

Nothing else changes: encoding, byte order mark and each line's own end stay as they are. A pragma stands at the end of
its statement's last line, the only place of a statement where a comment is always allowed; codes join a list that is
there already.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterable, Mapping

from compilelint.model.patterns import late_pattern
from compilelint.syntax.source import Source, source_from_bytes
from compilelint.syntax.suppressions import Pragma, statement_lines, suppressions
from compilelint.syntax.unreadable import Unreadable

_LINE_END = late_pattern(r"(\r\n|\r|\n)")


def with_ignores(path: str, data: bytes, wanted: Mapping[int, Iterable[str]], reason: str = "") -> tuple[bytes, int]:
    """The bytes with pragmas for the wanted codes by line, and how many codes found no place.

    `wanted` maps the first line of a finding to the codes to silence there. Raises UnicodeEncodeError where the file's
    encoding lacks a character of the reason.
    """
    source = source_from_bytes(path, data)
    if isinstance(source, Unreadable):
        return data, sum(len(set(codes)) for codes in wanted.values())
    ends = statement_lines(source)
    by_line: dict[int, set[str]] = {}
    for line, codes in wanted.items():
        by_line.setdefault(ends.get(line, line), set()).update(codes)
    known = {pragma.span.line: pragma for pragma in suppressions(source).pragmas if pragma.kind == "ignore"}
    bom = codecs.BOM_UTF8 if source.bom else b""
    pieces = _LINE_END.split(data[len(bom) :].decode(source.encoding))  # lines at even places, their ends between
    for line, codes in by_line.items():
        at = 2 * (line - 1)
        if at < len(pieces):
            pieces[at] = _with_pragma(pieces[at], codes, known.get(line), reason)
    written = bom + "".join(pieces).encode(source.encoding)
    return written, _unsilenced(path, written, wanted)


def _with_pragma(line: str, codes: set[str], pragma: Pragma | None, reason: str) -> str:
    """One line with a pragma for the codes; `pragma` is the one that stands there."""
    if pragma is not None and pragma.codes:
        listed = ", ".join(dict.fromkeys([*pragma.codes, *sorted(codes)]))
        span = pragma.span
        written = line[span.column - 1 : span.end_column - 1]
        return line[: span.column - 1] + re.sub(r"\[.*\]", f"[{listed}]", written) + line[span.end_column - 1 :]
    behind = f" {reason}" if reason else ""
    return f"{line.rstrip()}  # compilelint: ignore[{', '.join(sorted(codes))}]{behind}"


def _unsilenced(path: str, data: bytes, wanted: Mapping[int, Iterable[str]]) -> int:
    """How many of the wanted codes no pragma of the written text silences."""
    source = source_from_bytes(path, data)
    found = suppressions(source) if isinstance(source, Source) else None
    pairs = {(line, code) for line, codes in wanted.items() for code in codes}
    return sum(found is None or found.match(line, line, code) is None for line, code in pairs)
