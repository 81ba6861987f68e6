"""What `--output FORMAT[:PATH]` asks for."""

from __future__ import annotations

import os
from collections.abc import Sequence

from compilelint.config.options import UsageError
from compilelint.model.slotted import dataclass
from compilelint.report.formats import FOR_PEOPLE, FORMATS


@dataclass(frozen=True, slots=True)
class Output:
    """A report that is wanted: its format, and the file it goes to (None for the terminal)."""

    format: str
    path: str | None


def parse_outputs(
    words: Sequence[str], unasked: str = FOR_PEOPLE[0], formats: Sequence[str] = FORMATS
) -> tuple[Output, ...]:
    """What `--output FORMAT[:PATH]` asks for; `unasked`, on the terminal, where nothing does. Raises UsageError."""
    outputs = tuple(_output(word, formats) for word in words) or (Output(unasked, None),)
    if sum(output.path is None for output in outputs) > 1:
        where = " ".join(f"--output {word}" for word in words)
        raise UsageError("two reports for the terminal", where, "give all but one a file: --output json:report.json")
    seen: set[str] = set()
    for output in outputs:
        real = os.path.realpath(output.path) if output.path is not None else ""
        if real and real in seen:
            raise UsageError("two reports for one file", str(output.path), "give each a file of its own")
        seen.add(real)
    return outputs


def _output(word: str, formats: Sequence[str]) -> Output:
    where = f"--output {word}"
    name, colon, path = word.partition(":")
    if name not in formats:
        import difflib

        alike = difflib.get_close_matches(name.lower(), formats, n=1)
        hint = f"did you mean {alike[0]}?" if alike else "use one of: " + ", ".join(formats)
        raise UsageError(f"unknown format {name!r}", where, hint)
    if not colon:
        return Output(name, None)
    if not path:
        raise UsageError("no file behind the colon", where, f"write --output {name}:FILE, or --output {name}")
    if os.path.isdir(path):
        raise UsageError("the report's file is a folder", where, "name a file in it")
    folder = os.path.dirname(path) or "."
    if not os.path.isdir(folder):
        raise UsageError("no such folder for the report", where, f"make {folder} first")
    return Output(name, path)
