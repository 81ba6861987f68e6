"""Which parts of a project the others import most: what is learnt of those is worth keeping.

Read off the import statements of some files of each part, without analysing any: it decides what a run costs, never
what it reports.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence

from compilelint.session.pipeline.inputs import Linted

_IMPORT = re.compile(r"^[ \t]*(?:from|import)[ \t]+([.\w]+)", re.MULTILINE)
_SAMPLE = 64  # files of a part: a part has some hundreds, which import alike


def importers(parts: Sequence[Sequence[Linted]], text_of: Callable[[Linted], str]) -> list[int]:
    """For each part, how many of the files that were looked at in the others import something of it."""
    part_of = {file.dotted: number for number, part in enumerate(parts) for file in part}
    counts = [0] * len(parts)
    for number, part in enumerate(parts):
        for file in part[:: max(1, len(part) // _SAMPLE)]:
            for other in set(_imported(file, text_of(file), part_of)) - {number}:
                counts[other] += 1
    return counts


def _imported(file: Linted, text: str, part_of: Mapping[str, int]) -> Iterator[int]:
    """The parts in which the modules that a file names lie."""
    package = file.dotted.split(".") if file.is_package else file.dotted.split(".")[:-1]
    for name in _IMPORT.findall(text):
        rest = name.lstrip(".")
        level = len(name) - len(rest)
        parts = [*package[: len(package) - level + 1], *rest.split(".")] if level else rest.split(".")
        while parts:
            found = part_of.get(".".join(parts))
            if found is not None:
                yield found
                break
            parts.pop()
