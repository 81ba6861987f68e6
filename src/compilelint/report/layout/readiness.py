"""How ready the compile roots are: what is expected of each, from the findings that it reaches.

The numbers are expectations, and say so: a break in a loop or a `with` leaves a whole frame uncompiled, and one behind
a condition may never happen.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from compilelint.model import Effect, Finding, Location
from compilelint.model.slotted import dataclass
from compilelint.report.report import CompileRoot, Report

_ENDS_A_GRAPH = frozenset({Effect.GRAPH_BREAK, Effect.ERROR})
_COSTS = {
    Effect.WRONG_RESULT: ("wrong result", "wrong results"),
    Effect.RECOMPILE: ("recompile", "recompiles"),
    Effect.SYNC: ("device sync", "device syncs"),
    Effect.CUDAGRAPH: ("CUDA graph blocker", "CUDA graph blockers"),
    Effect.SLOW: ("slow line", "slow lines"),
}


@dataclass(frozen=True, slots=True)
class Readiness:
    """One root: how many places end its graph, the first of its findings in the order of the report, and whether one of
    the breaks leaves a whole function uncompiled. `others` counts the findings that end no graph, by effect.
    """

    name: str
    breaks: int
    first: Location
    skips: bool
    compiled_at: Location | None
    others: tuple[tuple[Effect, int], ...] = ()

    @property
    def graphs(self) -> int:
        """How many graphs there are where every break splits its frame once."""
        return self.breaks + 1

    @property
    def words(self) -> str:
        """`2 graph breaks, about 3 graphs; 1 recompile`: what is expected, and what it costs beside."""
        parts = []
        if self.breaks:
            outcome = "a whole function stays uncompiled" if self.skips else f"about {self.graphs} graphs"
            parts.append(f"{self.breaks} graph break{'' if self.breaks == 1 else 's'}, {outcome}")
        counts = [f"{count} {_COSTS[effect][count != 1]}" for effect, count in self.others]
        return "; ".join([*parts, ", ".join(counts)] if counts else parts)


def readiness(report: Report) -> list[Readiness]:
    """The compile roots with findings, those with most breaks first."""
    found: dict[str, list[Finding]] = {}
    for finding in report.findings:
        for root in finding.roots if finding.effect is not Effect.TOOL else ():
            found.setdefault(root, []).append(finding)
    known = _by_name(root for root in report.roots if root.known)
    rows = [_row(name, found[name], places) for name, places in known.items() if name in found]
    return sorted(rows, key=lambda row: (-row.breaks, -sum(count for _, count in row.others), row.name))


def _row(name: str, findings: list[Finding], places: list[Location | None]) -> Readiness:
    breaking = [one for one in findings if _ENDS_A_GRAPH.intersection(one.effects)]
    others = Counter(one.effect for one in findings if one not in breaking)
    return Readiness(
        name,
        len(breaking),
        (breaking or findings)[0].location,
        any(one.skips_frame for one in breaking),
        next(filter(None, places), None),
        tuple((effect, others[effect]) for effect in Effect if others[effect]),
    )


def ready(report: Report) -> int:
    """In how many of the compile roots nothing was found."""
    return len(_by_name(root for root in report.roots if root.known)) - len(readiness(report))


def _by_name(roots: Iterable[CompileRoot]) -> dict[str, list[Location | None]]:
    by_name: dict[str, list[Location | None]] = {}
    for root in roots:
        by_name.setdefault(root.name, []).append(root.compiled_at)
    return by_name
