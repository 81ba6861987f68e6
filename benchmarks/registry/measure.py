"""What the lint finds of the recorded programs: with every function a root, and with the caller in the text.

Two questions. A program is found where a finding of a graph break or an error lies on the statement of a break that
shows the id. A half is scored line by line, as `benchmarks/score.py` does. Loads no torch.
"""

from __future__ import annotations

import hashlib
import json
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.registry import callers
from benchmarks.registry.labels import PROGRAMS, Row, ids_of
from benchmarks.registry.table import Reach
from compilelint.config import Options
from compilelint.dynamic.scoring import Hit, hits_of, judge, summary, truth_of
from compilelint.report.formats import render
from compilelint.session.commands.lint import lint

WAYS = ("all", "caller")
"""Every function a root; the caller in the text and no option."""
HALVES = ("read", "not read")
_LONGEST = 15  # lines of a statement that a finding may meet


def half_of(case: str) -> str:
    """Whether a program is read when the engine learns."""
    return HALVES[0] if hashlib.sha1(case.encode()).digest()[-1] % 2 else HALVES[1]


@dataclass(frozen=True, slots=True)
class Findings:
    """The findings of one lint: of graph breaks, and of calls that fail."""

    breaks: list[Hit] = field(default_factory=list)
    errors: list[Hit] = field(default_factory=list)


def findings(version: str, way: str, rows: Mapping[str, Row]) -> dict[str, Findings]:
    """By half, what the lint finds in one of the `WAYS`; files are named as the labels name them.

    With callers each half is linted by itself: a function that a program of the other half calls with something else
    would break on lines that no program of this one does.
    """
    if way == "all":
        return dict.fromkeys(HALVES, _linted(PROGRAMS, version, ("all",)))
    known = {}
    for half in HALVES:
        with tempfile.TemporaryDirectory() as folder:
            callers.write(Path(folder), sorted(case for case in rows if half_of(case) == half))
            known[half] = _linted(Path(folder), version, ("auto",))
    return known


def _linted(folder: Path, version: str, roots: tuple[str, ...]) -> Findings:
    report = json.loads(render(lint(Options((str(folder),), roots, torch_version=version)), "json"))
    return Findings(hits_of(report, folder, "graph-break"), hits_of(report, folder, "error"))


def found(reaches: Mapping[str, Reach], rows: Mapping[str, Row], known: Mapping[str, Findings]) -> list[str]:
    """`CASE ID` for each program with an id whose recorded line is reported."""
    hits = {half: [*one.breaks, *one.errors] for half, one in known.items()}
    wanted = [(case, gb_id) for gb_id, one in reaches.items() for case in one.breaking if case in rows]
    return sorted({f"{case} {gb_id}" for case, gb_id in wanted if is_found(rows[case], gb_id, hits[half_of(case)])})


def is_found(row: Row, gb_id: str, hits: Sequence[Hit]) -> bool:
    """Whether a finding lies on the statement of a break that shows the id."""
    for one in row["breaks"]:
        first, last = one["span"]
        last = min(last, first + _LONGEST - 1)
        if gb_id in (one["gb"], *one["chain"]):
            return any(hit.file == one["file"] and hit.first <= last and hit.last >= first for hit in hits)
    return False


def scores(rows: Mapping[str, Row], known: Mapping[str, Findings]) -> Iterator[tuple[str, dict[str, Any]]]:
    """For each half: breaks, those found, and how many findings on its lines are right."""
    for half in HALVES:
        truth = truth_of(row for case, row in rows.items() if half_of(case) == half)
        yield half, summary(truth, judge(truth, known[half].breaks), known[half].breaks, "likely")


def shown(reaches: Mapping[str, Reach], rows: Mapping[str, Row]) -> Iterable[tuple[str, str]]:
    """The programs with the ids that they are written for."""
    for gb_id, one in reaches.items():
        yield from ((case, gb_id) for case in one.breaking if case in rows and gb_id in ids_of(rows[case]))
