"""The tables of the speed benchmark: what was measured, and how it is shown."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass

from benchmarks.measuring import Cost
from benchmarks.reproduce import table_of
from benchmarks.robustness import Outcome


@dataclass(frozen=True)
class Row:
    """One measured command over some MB of source; `read` are the MB with what these import, 0 if not counted.

    `cost` is None where it could not be measured, and `why` says why.
    """

    what: str
    size: float
    cost: Cost | None
    read: float = 0.0
    why: str = ""

    @property
    def each(self) -> float:
        """CPU seconds for a MB; 0 where nothing was measured."""
        return self.cost.cpu / self.size if self.cost is not None else 0.0

    def cells(self, floor: float) -> list[str]:
        """The row of the table; `floor` is LibCST's CPU seconds for a MB."""
        if self.cost is None:
            return [self.what, f"{self.size:.1f}", self.why, "", "", "", ""]
        each = self.each
        return [
            self.what,
            f"{self.size:.1f}",
            f"{self.cost.cpu:.1f}",
            f"{each:.2f}",
            f"{1 / each:.2f}",
            f"{each / floor:.2f}",
            f"{self.cost.peak:.0f}",
        ]


def floor_of(before: Row, after: Row) -> float:
    """LibCST's CPU seconds for a MB, from both of its runs."""
    return (before.each * before.size + after.each * after.size) / (before.size + after.size)


def pace_table(rows: Sequence[Row], floor: float) -> str:
    """The table of the large runs."""
    columns = ["run", "MB", "CPU s", "CPU s per MB", "MB per CPU s", "times LibCST", "peak MB"]
    return table_of(columns, [row.cells(floor) for row in rows])


def jobs_table(costs: Sequence[tuple[int, Cost]]) -> str:
    """What several processes cost and save; the peak is that of the largest of them."""
    alone = costs[0][1]
    cells = [
        [count, f"{one.cpu:.1f}", f"{one.wall:.1f}", f"{alone.wall / one.wall:.2f}", f"{one.peak:.0f}"]
        for count, one in costs
    ]
    return table_of(["processes", "CPU s, all", "wall s", "times faster", "peak MB, largest"], cells)


def warm_table(cold: Cost, warm: Cost, edited: Sequence[tuple[str, Cost]]) -> str:
    """What a run costs that finds nothing changed, and what those cost that follow edits of single files."""
    columns = ["run", "CPU s", "wall s", "of cold, CPU", "peak MB"]
    rows = [
        ("first run, which fills the cache", cold),
        ("again, nothing changed", warm),
        *((f"again, a function added to `{file}`", one) for file, one in edited),
    ]
    cells = [
        [what, f"{one.cpu:.2f}", f"{one.wall:.2f}", f"{one.cpu / cold.cpu:.1%}", f"{one.peak:.0f}"]
        for what, one in rows
    ]
    return table_of(columns, cells)


def repositories_table(rows: Sequence[tuple[str, Row, Row]]) -> str:
    """What each of some projects costs beside LibCST on the same files, and all of them together."""
    columns = ["repository", "MB", "CPU s", "LibCST, CPU s", "times LibCST", "peak MB"]
    shown = [(name, ours.size, _cpu(ours), _cpu(floor), _peak(ours)) for name, floor, ours in rows]
    sums = [sum(column) for column in zip(*(one[1:4] for one in shown), strict=True)]
    whole = ("all", sums[0], sums[1], sums[2], max(one[4] for one in shown))
    return table_of(columns, [_beside(*one) for one in (*shown, whole)])


def _cpu(row: Row) -> float:
    return 0.0 if row.cost is None else row.cost.cpu


def _peak(row: Row) -> float:
    return 0.0 if row.cost is None else row.cost.peak


def _beside(name: str, size: float, ours: float, floor: float, peak: float) -> list[str]:
    return [name, f"{size:.2f}", f"{ours:.2f}", f"{floor:.2f}", f"{ours / floor:.2f}", f"{peak:.0f}"]


@dataclass(frozen=True)
class Step:
    """The same files linted twice: `alone` without reading what they import, `full` with it; `read` MB are all read."""

    size: float
    alone: Cost
    read: float
    full: Cost


def growth_table(steps: Sequence[Step], start: float) -> str:
    """The cost of a MB as more is linted, against the largest run; `start` are the CPU seconds of linting nothing."""
    columns = [
        "linted MB",
        "CPU s, imports not read",
        "per MB",
        "against all",
        "read MB, with imports",
        "CPU s",
        "per MB linted",
        "per MB of imports",
        "peak MB",
    ]
    whole = (steps[-1].alone.cpu - start) / steps[-1].size
    cells = []
    for one in steps:
        each = (one.alone.cpu - start) / one.size
        more = (one.full.cpu - one.alone.cpu) / (one.read - one.size)
        cells.append(
            [
                f"{one.size:.1f}",
                f"{one.alone.cpu:.1f}",
                f"{each:.2f}",
                f"{each / whole:.2f}",
                f"{one.read:.1f}",
                f"{one.full.cpu:.1f}",
                f"{(one.full.cpu - start) / one.size:.2f}",
                f"{more:.2f}",
                f"{one.full.peak:.0f}",
            ]
        )
    return table_of(columns, cells)


def hostile_table(outcomes: Sequence[tuple[float, Outcome]]) -> str:
    """What no human would write, each with its budget in CPU seconds."""
    cells = []
    for budget, one in outcomes:
        verdict = "; ".join(one.complaints) or "as it must be"
        cost = one.cost
        cells.append(
            [one.name, f"{one.size:.2f}", f"{budget:.0f}", f"{cost.cpu:.1f}", f"{cost.peak:.0f}", one.findings, verdict]
        )
    return table_of(["input", "MB", "budget, CPU s", "CPU s", "peak MB", "findings", "verdict"], cells)


def small_table(costs: Sequence[tuple[str, Sequence[Cost]]]) -> str:
    """What is done many times a day; the median of several cold processes."""
    cells = []
    for what, found in costs:
        cpu = [cost.cpu * 1000 for cost in found]
        peak = max(cost.peak for cost in found)
        cells.append([what, f"{statistics.median(cpu):.0f}", f"{min(cpu):.0f}", f"{peak:.0f}"])
    return table_of(["command", "CPU ms, median", "least", "peak MB"], cells)
