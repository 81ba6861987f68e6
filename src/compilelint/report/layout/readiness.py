"""How ready the compile roots are: what is expected of each, from the findings that it reaches.

The numbers are expectations, and say so: a break behind a condition may never happen.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from compilelint.model import Effect, Finding, Location
from compilelint.model.slotted import dataclass
from compilelint.report.layout.graph_count import GraphCount, graph_count
from compilelint.report.layout.reached import ReachedRoots, RootKey, key_of
from compilelint.report.report import CompileRoot, Report

_COSTS = {
    Effect.ERROR: ("error", "errors"),
    Effect.WRONG_RESULT: ("wrong result", "wrong results"),
    Effect.RECOMPILE: ("recompile", "recompiles"),
    Effect.SYNC: ("device sync", "device syncs"),
    Effect.CUDAGRAPH: ("CUDA graph blocker", "CUDA graph blockers"),
    Effect.SLOW: ("slow line", "slow lines"),
}

_NOTHING = "a whole function stays uncompiled"


@dataclass(frozen=True, slots=True)
class Readiness:
    """One root: how many places end its graph, how many graphs are expected (none: nothing of it is compiled), the
    first of its findings in the order of the report, whether one of the breaks leaves a piece of a function
    uncompiled, and how many places make compiling raise. `others` counts the findings that end no graph, by effect.
    """

    key: RootKey
    breaks: int
    graphs: GraphCount
    first: Location
    skips: bool
    failures: int
    compiled_at: Location | None
    others: tuple[tuple[Effect, int], ...] = ()

    @property
    def name(self) -> str:
        """What findings call the root."""
        return self.key[0]

    @property
    def words(self) -> str:
        """`2 graph breaks, 2 to 3 graphs; 1 recompile`: what is expected, and what it costs beside."""
        parts = []
        if self.failures:
            parts.append("compiling fails" + (f" at {self.failures} places" if self.failures > 1 else ""))
        if self.breaks:
            most = self.graphs.most
            outcome = f"about {self.graphs.words}" if most and self.graphs.is_exact else self.graphs.words
            if self.skips:
                outcome = f"{outcome}, part of a function stays uncompiled" if most else _NOTHING
            parts.append(f"{self.breaks} graph break{'' if self.breaks == 1 else 's'}, {outcome}")
        counts = [f"{count} {_COSTS[effect][count != 1]}" for effect, count in self.others]
        return "; ".join([*parts, ", ".join(counts)] if counts else parts)


def readiness(report: Report) -> list[Readiness]:
    """The compile roots with findings, those with most breaks first."""
    found: dict[RootKey, list[Finding]] = {}
    reached = ReachedRoots(report)
    for finding in report.findings:
        for root in reached.of(finding) if finding.effect is not Effect.TOOL else ():
            found.setdefault(root, []).append(finding)
    known = _by_key(root for root in report.roots if root.known)
    rows = [_row(key, found[key], roots) for key, roots in known.items() if key in found]
    return sorted(rows, key=lambda row: (-row.failures, -row.breaks, -sum(count for _, count in row.others), row.name))


def _row(key: RootKey, findings: list[Finding], roots: list[CompileRoot]) -> Readiness:
    breaking = [one for one in findings if one.ends_graph]
    failing = [one for one in findings if one.fails_to_compile]
    others = Counter(one.effect for one in findings if not (one.ends_graph or one.fails_to_compile))
    return Readiness(
        key,
        len(breaking),
        graph_count(roots),
        (failing or breaking or findings)[0].location,
        any(one.skips_frame for one in breaking),
        len(failing),
        next((root.compiled_at for root in roots if root.compiled_at), None),
        tuple((effect, others[effect]) for effect in Effect if others[effect]),
    )


def ready(report: Report) -> tuple[int, int]:
    """In how many of the compile roots nothing was found: of those that were seen whole, and of those that call what
    was not seen.
    """
    rows = {row.key for row in readiness(report)}
    left = [roots for key, roots in _by_key(root for root in report.roots if root.known).items() if key not in rows]
    unsure = sum(any(root.unseen for root in roots) for roots in left)
    return len(left) - unsure, unsure


def _by_key(roots: Iterable[CompileRoot]) -> dict[RootKey, list[CompileRoot]]:
    by_key: dict[RootKey, list[CompileRoot]] = {}
    for root in roots:
        by_key.setdefault(key_of(root), []).append(root)
    return by_key
