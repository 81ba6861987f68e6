"""What has changed since an earlier report: findings that are gone, that are new, and functions that got worse.

Findings are compared by their fingerprints, which outlive edits elsewhere in a file, functions by their names and the
names of their files. What was not in the earlier report is not guessed at: without functions, no graph is compared.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import Any

from compilelint.model import Confidence, Finding
from compilelint.model.slotted import dataclass
from compilelint.report.layout.cost import Cost, costs
from compilelint.report.layout.fingerprints import fingerprints
from compilelint.report.layout.text import counted, escaped
from compilelint.report.overview.roots import Compiled
from compilelint.report.report import Report


class NoReportError(ValueError):
    """A document is not a report with findings to compare; the text says why."""


@dataclass(frozen=True, slots=True)
class Past:
    """An earlier finding: by which rule, where from the repository's folder, and what it was expected to cost."""

    rule: str
    place: str
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Graphs:
    """A function whose expected number of graphs has changed; 0 graphs are of one that is not compiled at all."""

    name: str
    before: int
    after: int

    @property
    def is_worse(self) -> bool:
        """Whether it is in more pieces, or no longer compiled."""
        return self.after == 0 or (0 < self.before < self.after)


@dataclass(frozen=True, slots=True)
class Since:
    """The comparison with an earlier report, called `name`; `low` and `high` are milliseconds a step that the findings
    which are new are expected to cost, less those that are gone. `targets` counts those of accepted
    numbers, where these were compared and no findings; None where findings were.
    """

    name: str
    fixed: tuple[Past, ...]
    new: tuple[Finding, ...]
    graphs: tuple[Graphs, ...]
    low: float
    high: float
    targets: int | None = None

    @property
    def worse(self) -> int:
        """How many functions got worse."""
        return sum(one.is_worse for one in self.graphs)

    @property
    def words(self) -> str:
        """One line, for a pull request: `3 fixed, 1 new, no function worse; 0.1 to 2.0 ms a step less expected`."""
        counts = f"{len(self.fixed):,} fixed, {len(self.new):,} new"
        if self.targets is not None:
            better = counted(sum(not one.is_worse for one in self.graphs), "function")
            counts = f"{counted(self.targets, 'accepted target')} checked again, {better} better"
        graphs = counted(self.worse, "function") + " worse" if self.worse else "no function worse"
        line = f"Since {escaped(self.name)}: {counts}, {graphs}"
        if not (self.low or self.high):
            return f"{line}."
        less = self.low + self.high < 0
        low, high = sorted((abs(self.low), abs(self.high)))
        return f"{line}; {low:.1f} to {high:.1f} ms a step {'less' if less else 'more'} expected."


def since(report: Report, functions: Iterable[Compiled], document: Any, name: str) -> Since:
    """The comparison of a report with what `check` or `report` wrote as JSON before. Raises NoReportError."""
    before = _past(document)
    sure = [
        (one, mark, cost)
        for one, mark, cost in zip(report.findings, fingerprints(report), costs(report), strict=True)
        if one.confidence >= Confidence.LIKELY
    ]
    marks = {mark for _, mark, _ in sure}
    fixed = tuple(one for mark, one in before.items() if mark not in marks)
    new = [(one, cost) for one, mark, cost in sure if mark not in before]
    low = sum(_range(cost)[0] for _, cost in new) - sum(one.low for one in fixed)
    high = sum(_range(cost)[1] for _, cost in new) - sum(one.high for one in fixed)
    graphs = tuple(_changed(document, functions))
    return Since(name, fixed, tuple(one for one, _ in new), graphs, round(low, 3), round(high, 3))


def since_accepted(functions: Iterable[Compiled], accepted: Mapping[str, Mapping[str, Any]], name: str) -> Since:
    """The comparison with accepted numbers of runs: their graphs against those that are expected now.

    A function that may come to as many as were accepted has not changed. Targets that are no function here, or that
    did not run, are not compared.
    """
    by_target = {one.spec.removesuffix(".forward"): one for one in functions}
    graphs: list[Graphs] = []
    known = 0
    for target, numbers in accepted.items():
        now = by_target.get(target.partition(" (")[0])
        before = numbers.get("graphs")
        if now is None or not isinstance(before, int):
            continue
        known += 1
        fewest, most = (0, 0) if now.failures else (now.graphs.fewest, now.graphs.most)
        if most < before or fewest > before:
            graphs.append(Graphs(now.name, before, most if most < before else fewest))
    return Since(name, (), (), tuple(graphs), 0.0, 0.0, known)


def _range(cost: Cost | None) -> tuple[float, float]:
    return (cost.low, cost.high) if cost is not None and cost.unit == "ms a step" else (0.0, 0.0)


def _past(document: Any) -> Mapping[str, Past]:
    """The earlier findings that are no mere possibility, by fingerprint."""
    try:
        found = [one for one in document["findings"] if one["confidence"] != Confidence.POSSIBLE.label]
        return {str(one["fingerprint"]): _one(one) for one in found}
    except (KeyError, TypeError, ValueError) as error:
        raise NoReportError("it has no findings with fingerprints") from error


def _one(found: Mapping[str, Any]) -> Past:
    cost = found.get("cost") or {}
    priced = cost.get("unit") == "ms a step"
    low, high = (float(cost["low"]), float(cost["high"])) if priced else (0.0, 0.0)
    return Past(str(found["rule"]), f"{os.path.basename(str(found['path']))}:{int(found['line'])}", low, high)


def _changed(document: Mapping[str, Any], functions: Iterable[Compiled]) -> Iterable[Graphs]:
    """The functions that both reports have, where the expected graphs differ."""
    before: dict[tuple[str, str], int] = {}
    try:
        for one in document.get("functions", ()):
            before[str(one["name"]), os.path.basename(str(one["path"]))] = int(one["graphs"])
    except (KeyError, TypeError, ValueError) as error:
        raise NoReportError("its functions are not those of a report") from error
    for now in functions:
        was = before.get((now.name, os.path.basename(now.location.path)))
        graphs = 0 if now.failures else now.graphs.most
        if was is not None and was != graphs:
            yield Graphs(now.name, was, graphs)
