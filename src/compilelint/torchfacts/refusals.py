"""What Dynamo does at each construct that it refuses by a rule of its own, from `data/refusals.json`.

For constructs that no name in the fact tables stands for. A row's key is the id that the oldest measured version gives
the construct (`GB0088`), followed by the construct in words where one id stands for several (`GB0088|hash of a
class`). The row has a verdict (see `verdict.py`) for each version from which on it holds: whether the construct is
traced there, or else which id ends it, and whether the frame is left to Python or the compilation fails. `program`
names the program of `benchmarks/registry` that shows it.

A version between two of a row has the verdict of the older one, an older version that of the row's oldest, if its
registry has the id. Written by `python -m compilelint.torchfacts.generate.refusals`.
"""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Any

from compilelint.model.slotted import dataclass
from compilelint.torchfacts.errors import FactsError
from compilelint.torchfacts.store import DATA, key_of, read
from compilelint.torchfacts.verdict import Verdict, parse

NAME = "refusals.json"


@dataclass(frozen=True, slots=True)
class Refusal:
    """One construct: its verdict from each release on (`2.13`), oldest first, and the program that shows it.

    `by_hand` holds the releases whose verdict no program of `benchmarks/registry` has given. `effect_by_hand` says that
    the program shows the id alone: what becomes of the frame is another matter where it stands, in a `try` say.
    """

    key: str
    program: str
    verdicts: tuple[tuple[str, Verdict], ...]
    by_hand: frozenset[str] = frozenset()
    effect_by_hand: bool = False

    def verdict(self, version: str) -> Verdict:
        """The verdict of a version: that of the newest release of the row that is not newer, else of the oldest."""
        wanted = key_of(version)
        below = [verdict for release, verdict in self.verdicts if key_of(release) <= wanted]
        return below[-1] if below else self.verdicts[0][1]


@dataclass(frozen=True, slots=True)
class Refusals:
    """All rows by key, and the releases in which the constructs were run."""

    measured: tuple[str, ...]
    rows: dict[str, Refusal]


def from_content(content: dict[str, Any]) -> Refusals:
    """The rows that the data file spells; raises KeyError, ValueError or the like where it is damaged."""
    rows = {key: _row(key, row) for key, row in content["refusals"].items()}
    return Refusals(tuple(content["measured"]), rows)


def _row(key: str, row: dict[str, Any]) -> Refusal:
    verdicts = tuple((release, parse(text)) for release, text in row["verdicts"].items())
    if not verdicts:
        raise ValueError(f"{key} has no verdict")
    by_hand = frozenset(row.get("by hand", "").split())
    return Refusal(key, str(row.get("program", "")), verdicts, by_hand, row.get("effect") == "by hand")


@functools.lru_cache(maxsize=4)
def refusals_of(data: Path = DATA) -> Refusals:
    """The rows of a data folder; raises FactsError where the file is missing or damaged."""
    content = read(NAME, data)
    try:
        return from_content(content)
    except (KeyError, ValueError, TypeError, AttributeError) as error:
        raise FactsError(f"{NAME} is damaged: {error!r}", str(data / NAME), "reinstall compilelint") from error
