"""How ready the compile roots are: what is expected of each, from the findings that it reaches.

The numbers are expectations, and say so: a break in a loop or a `with` leaves a whole frame uncompiled, and one behind
a condition may never happen.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from compilelint.model import Effect, Finding, Location
from compilelint.report.report import CompileRoot, Report

_ENDS_A_GRAPH = frozenset({Effect.GRAPH_BREAK, Effect.ERROR})


@dataclass(frozen=True, slots=True)
class Readiness:
    """One root: how many places end its graph, the first of them in the order of the report, and whether one of them
    leaves a whole function uncompiled.
    """

    name: str
    breaks: int
    first: Location
    skips: bool
    compiled_at: Location | None

    @property
    def graphs(self) -> int:
        """How many graphs there are where every break splits its frame once."""
        return self.breaks + 1


def readiness(report: Report) -> list[Readiness]:
    """The compile roots that findings stand in the way of, those with most breaks first."""
    found: dict[str, list[Finding]] = {}
    for finding in report.findings:
        if _ENDS_A_GRAPH.intersection(finding.effects):
            for root in finding.roots:
                found.setdefault(root, []).append(finding)
    rows = [
        Readiness(
            name,
            len(found[name]),
            found[name][0].location,
            any(one.skips_frame for one in found[name]),
            next(filter(None, places), None),
        )
        for name, places in _by_name(root for root in report.roots if root.known).items()
        if name in found
    ]
    return sorted(rows, key=lambda row: (-row.breaks, row.name))


def ready(report: Report) -> int:
    """In how many of the compile roots nothing was found that ends a graph."""
    return len(_by_name(root for root in report.roots if root.known)) - len(readiness(report))


def _by_name(roots: Iterable[CompileRoot]) -> dict[str, list[Location | None]]:
    by_name: dict[str, list[Location | None]] = {}
    for root in roots:
        by_name.setdefault(root.name, []).append(root.compiled_at)
    return by_name
