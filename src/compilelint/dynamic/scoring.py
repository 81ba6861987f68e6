"""Scores findings against recorded runs of TorchDynamo: precision and recall, for anyone's models.

The truth is JSON lines, plain or gzipped, a compiled and called case a line (the fields are described in
`benchmarks/truth/README.md`); its file names are relative to ROOT. Only findings of the scored effect count.

A distinct place is judged once:

    true positive    the finding's span (its first three lines at most) meets the statement of a break (its first
                     fifteen lines at most); a second finding for breaks already claimed counts nowhere
    false positive   its span holds a line that Dynamo traced, and meets no break
    unjudged         no case traced the span, or a secondary break is there: counts nowhere
    false negative   a break that no finding meets

A breaking case is caught if one of its breaks is met; a clean case has a false alarm if a false positive lies on a
line that it traced.

Knows nothing of the rest of compilelint but how data of strangers is read: it takes two kinds of JSON.
"""

from __future__ import annotations

import gzip
import json
import os
import zlib
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from compilelint.disk.data import NotParsedError, json_of
from compilelint.disk.shape import Each, Maybe, misfit

CONFIDENCES = {"certain": 3, "likely": 2, "possible": 1}
LONGEST_STATEMENT = 15
LONGEST_FINDING = 3

Case = Mapping[str, Any]
Table = dict[str, Any]


class Place(NamedTuple):
    """A line, counted from 1, in a file named relative to ROOT."""

    file: str
    line: int


@dataclass
class Site:
    """A break's place over all cases: the statement's lines, the ids seen there and the number of cases that broke."""

    first: int = 0
    last: int = 0
    ids: set[str] = field(default_factory=set)
    reason: str = ""
    cases: int = 0


@dataclass(frozen=True)
class Run:
    """One recorded case: the lines it traced and where it broke."""

    traced: Mapping[str, set[int]]
    breaks: frozenset[Place]


@dataclass
class Truth:
    """All cases laid over each other. `dim` holds the lines of secondary breaks, which no prediction is judged on."""

    sites: dict[Place, Site] = field(default_factory=dict)
    traced: defaultdict[str, set[int]] = field(default_factory=lambda: defaultdict(set))
    dim: defaultdict[str, set[int]] = field(default_factory=lambda: defaultdict(set))
    runs: list[Run] = field(default_factory=list)


@dataclass(frozen=True)
class Hit:
    """A finding as far as scoring goes. `last` is cut to the first lines of the finding, `end_line` is not."""

    file: str
    first: int
    last: int
    end_line: int
    rule: str
    message: str

    @property
    def place(self) -> Place:
        """Where it begins."""
        return Place(self.file, self.first)


@dataclass
class Judgement:
    """What became of the findings. `right` may count fewer findings than `found` counts breaks: one can meet two."""

    found: set[Place] = field(default_factory=set)
    right: list[Hit] = field(default_factory=list)
    wrong: list[Hit] = field(default_factory=list)
    unjudged: list[Hit] = field(default_factory=list)
    taken_back: list[Place] = field(default_factory=list)


class BadReportError(ValueError):
    """The report holds a finding that has no place."""


_PAIR = [int]
_CASE = {
    "torch": Maybe(str),
    "traced_lines": Maybe(Each([int])),
    "breaks": Maybe(
        [
            {
                "file": str,
                "line": int,
                "span": Maybe((_PAIR, None)),
                "gb": Maybe((str, None)),
                "gb_type": Maybe((str, None)),
                "reason": Maybe((str, None)),
            }
        ]
    ),
}


class BadCaseError(ValueError):
    """A truth file holds something else; the text says where and what."""


def read_cases(paths: Iterable[str | Path]) -> Iterator[Case]:
    """Yield every case of the given truth files, in order. Raises BadCaseError and OSError."""
    for path in paths:
        with (
            gzip.open(path, "rt", encoding="utf-8")
            if str(path).endswith(".gz")
            else open(path, encoding="utf-8") as lines
        ):
            try:
                for number, line in enumerate(lines, 1):
                    if line.strip():
                        yield _case(line, f"{path}:{number}")
            except (EOFError, zlib.error, UnicodeDecodeError) as error:
                raise BadCaseError(f"{path} is cut off or not a record: {error}") from error


def _case(line: str, where: str) -> Case:
    try:
        case: Case = json_of(line)
    except NotParsedError as error:
        raise BadCaseError(f"{where}: {error.message}") from error
    wrong = misfit(case, _CASE)
    spans = () if wrong else (entry.get("span") for entry in case.get("breaks", ()))
    if not wrong and any(span is not None and len(span) != len(("first", "last")) for span in spans):
        wrong = "a span is not a pair of lines"
    if wrong:
        raise BadCaseError(f"{where}: {wrong}")
    return case


def in_scope(file: str, packages: Sequence[str]) -> bool:
    """Whether a file lies in one of the packages (folders or files below ROOT); without any, all do."""
    return not packages or any(file == package or file.startswith(package.rstrip("/") + "/") for package in packages)


def truth_of(cases: Iterable[Case], packages: Sequence[str] = ()) -> Truth:
    """Lay the cases over each other: a line that breaks in any case is a break."""
    truth = Truth()
    for case in cases:
        broke_here = _add_breaks(truth, case, packages)
        traced = {file: set(lines) for file, lines in case.get("traced_lines", {}).items() if in_scope(file, packages)}
        for place in broke_here:
            traced.setdefault(place.file, set()).add(place.line)
        for file, numbers in traced.items():
            truth.traced[file] |= numbers
        truth.runs.append(Run(traced, frozenset(broke_here)))
    return truth


def _add_breaks(truth: Truth, case: Case, packages: Sequence[str]) -> set[Place]:
    """Enter one case's breaks; return the places of those that count."""
    places: set[Place] = set()
    for entry in case.get("breaks", ()):
        place = Place(entry["file"], entry["line"])
        if not in_scope(place.file, packages):
            continue
        first, last = entry.get("span") or (place.line, place.line)
        if entry.get("secondary"):
            truth.dim[place.file].update(range(first, last + 1))
            continue
        site = truth.sites.setdefault(place, Site())
        site.ids.add(entry.get("gb") or "?")
        site.reason = entry.get("gb_type") or entry.get("reason") or ""
        # Cutting a long statement must not cut off the line of the break itself.
        site.first, site.last = min(first, place.line), max(min(last, first + LONGEST_STATEMENT - 1), place.line)
        site.cases += place not in places
        places.add(place)
    return places


def hits_of(
    report: Mapping[str, Any],
    root: str | Path,
    effect: str = "graph-break",
    min_confidence: str = "likely",
    packages: Sequence[str] = (),
) -> list[Hit]:
    """Return the report's findings of one effect. Raise BadReportError at a finding without path or line."""
    base = os.path.realpath(root)
    resolved: dict[str, str] = {}
    hits = []
    for finding in report["findings"]:
        if effect not in (finding.get("effects") or [finding.get("effect")]):
            continue
        path, first = finding.get("path"), finding.get("line")
        if not isinstance(path, str) or not isinstance(first, int):
            raise BadReportError(f"a finding without path or line: {json.dumps(finding)[:200]}")
        if CONFIDENCES.get(finding.get("confidence", "certain"), 3) < CONFIDENCES[min_confidence]:
            continue
        if path not in resolved:
            resolved[path] = Path(os.path.relpath(os.path.realpath(path), base)).as_posix()
        file = resolved[path]
        if in_scope(file, packages):
            end = finding.get("end_line") or first
            last = min(max(end, first), first + LONGEST_FINDING - 1)
            hits.append(Hit(file, first, last, end, finding["rule"], finding.get("message", "")))
    return hits


def judge(truth: Truth, hits: Iterable[Hit]) -> Judgement:
    """Hold every finding against the truth, top down in each file and the longest first on a line."""
    sites: defaultdict[str, list[tuple[int, int, Place]]] = defaultdict(list)
    for place, site in truth.sites.items():
        sites[place.file].append((site.first, site.last, place))
    judgement = Judgement()
    judged: set[Place] = set()
    claimed: set[Place] = set()
    for hit in sorted(hits, key=lambda hit: (hit.file, hit.first, -hit.last)):
        met = {place for first, last, place in sites[hit.file] if first <= hit.last and hit.first <= last}
        judgement.found |= met
        if hit.place in judged:
            continue
        lines = range(hit.first, hit.last + 1)
        if met:
            judged.add(hit.place)
            if not met <= claimed:
                claimed |= met
                judgement.right.append(hit)
        elif truth.dim[hit.file].isdisjoint(lines) and not truth.traced[hit.file].isdisjoint(lines):
            judged.add(hit.place)
            judgement.wrong.append(hit)
        else:
            judgement.unjudged.append(hit)
    return judgement


def summary(truth: Truth, judgement: Judgement, hits: Sequence[Hit], min_confidence: str) -> Table:
    """Return the full table, one vote for each place."""
    breaking = [run for run in truth.runs if run.breaks]
    clean = [run for run in truth.runs if not run.breaks]
    right, wrong = len(judgement.right) - len(judgement.taken_back), len(judgement.wrong)
    precision = right / (right + wrong) if right + wrong else 0.0
    recall = len(judgement.found) / len(truth.sites) if truth.sites else 0.0
    return {
        "cases": len(truth.runs),
        "breaking_cases": len(breaking),
        "breaking_cases_caught": sum(bool(run.breaks & judgement.found) for run in breaking),
        "clean_cases": len(clean),
        "clean_cases_with_a_false_alarm": sum(_is_alarmed(run, judgement.wrong) for run in clean),
        "break_lines": len(truth.sites),
        "found": len(judgement.found),
        "recall": round(recall, 4),
        "findings": len(hits),
        "files_with_findings": len({hit.file for hit in hits}),
        "true_positives": right,
        "false_positives": wrong,
        "unjudged": len(judgement.unjudged),
        "precision": round(precision, 4),
        "f1": round(2 * precision * recall / (precision + recall) if precision + recall else 0.0, 4),
        "min_confidence": min_confidence,
        "recall_by_graph_break_id": _recall_by_id(truth, judgement),
        "by_rule": _by_rule(judgement),
    }


def _is_alarmed(run: Run, wrong: Iterable[Hit]) -> bool:
    return any(not run.traced.get(hit.file, set()).isdisjoint(range(hit.first, hit.end_line + 1)) for hit in wrong)


def _recall_by_id(truth: Truth, judgement: Judgement) -> dict[str, str]:
    everything = Counter(gb for site in truth.sites.values() for gb in site.ids)
    found = Counter(gb for place in judgement.found for gb in truth.sites[place].ids)
    return {gb: f"{found[gb]}/{count}" for gb, count in sorted(everything.items(), key=lambda row: (-row[1], row[0]))}


def _by_rule(judgement: Judgement) -> dict[str, dict[str, int]]:
    right, wrong = Counter(hit.rule for hit in judgement.right), Counter(hit.rule for hit in judgement.wrong)
    return {rule: {"tp": right[rule], "fp": wrong[rule]} for rule in sorted(right | wrong)}


def mistakes_text(truth: Truth, judgement: Judgement, limit: int) -> Iterator[str]:
    """Yield lines naming at most `limit` false negatives, most frequent first, and as many false positives."""
    missed = [(place, site) for place, site in truth.sites.items() if place not in judgement.found]
    yield "\nfalse negatives"
    for place, site in sorted(missed, key=lambda row: -row[1].cases)[:limit]:
        ids = ",".join(sorted(site.ids))
        yield f"  {place.file}:{place.line}  {ids}  {site.reason[:70]}  ({site.cases} cases)"
    yield "\nfalse positives"
    for hit in judgement.wrong[:limit]:
        yield f"  {hit.file}:{hit.first}  {hit.rule}  {hit.message[:90]}"
