"""Verify in every cell of a matrix, and say what changes from the first: what breaks newly, what is gone, what stopped.

Each cell is a `verify` of its own, with the static pass for its torch: what it predicted stands beside what was seen.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from pathlib import Path

from compilelint.config import Options, UsageError
from compilelint.dynamic.merge import Side
from compilelint.dynamic.protocol import Settings
from compilelint.dynamic.targets import Target
from compilelint.fleet.environments import NoEnvironmentError, interpreter_of
from compilelint.fleet.matrix import Cell, Change, new_breaks, started, stopped
from compilelint.fleet.observe import Fleet
from compilelint.model import Effect, TargetRun
from compilelint.session.commands.verify import Verification, verify


@dataclass(frozen=True, slots=True)
class Column:
    """One cell and what was verified in it."""

    cell: Cell
    verification: Verification

    @property
    def sides(self) -> tuple[Side, ...]:
        """A row for each target."""
        return self.verification.sides


@dataclass(frozen=True, slots=True)
class Upgrade:
    """All columns, and what changes from the first to each further one."""

    columns: tuple[Column, ...]
    new: tuple[Change, ...]
    gone: tuple[Change, ...]
    stopped: tuple[tuple[str, TargetRun], ...]
    started: tuple[tuple[str, TargetRun], ...]

    @property
    def ready(self) -> bool:
        """Nothing breaks that did not, and everything that ran runs."""
        return not self.new and not self.stopped


def upgraded(
    targets: Sequence[Target],
    settings: Settings,
    options: Options,
    cells: Sequence[Cell],
    folder: Path,
    fleet_for: Callable[[Settings], AbstractContextManager[Fleet]],
    progress: Callable[[str], None],
    packages: Sequence[str] = (),
) -> Upgrade:
    """Verify the targets in each cell. `folder` keeps the environments that uv makes, with `packages` beside torch.

    Raises UsageError.
    """
    columns = []
    for cell in cells:
        there = _settings(settings, cell, folder, progress, packages)
        mode = cell.get("mode")
        asked = [one if mode is None else replace(one, mode=mode) for one in targets]

        def seen(number: int, run: TargetRun, name: str = cell.name) -> None:
            progress(f"{name}: {run.target}: {run.fate.value}, {run.seconds:.1f} s")

        with fleet_for(there) as fleet:
            columns.append(Column(cell, verify(asked, there, options, seen, fleet)))
    return compared(columns)


def _settings(
    settings: Settings, cell: Cell, folder: Path, progress: Callable[[str], None], packages: Sequence[str]
) -> Settings:
    found = replace(settings, device=cell.get("device") or settings.device)
    torch = cell.get("torch")
    if torch is None:
        return found
    try:
        return replace(found, python=interpreter_of(torch, folder, packages, progress))
    except NoEnvironmentError as error:
        raise UsageError(error.what, "--matrix", error.hint) from error


def compared(columns: Sequence[Column]) -> Upgrade:
    """What changes from the first column to each other, target by target."""
    first, *others = columns
    new: list[Change] = []
    gone: list[Change] = []
    ended: list[tuple[str, TargetRun]] = []
    begun: list[tuple[str, TargetRun]] = []
    for other in others:
        name = other.cell.name
        for before, after in _pairs(first, other):
            ended += [(name, after)] if stopped(before, after) else []
            begun += [(name, after)] if started(before, after) else []
            if not stopped(before, after) and not started(before, after):
                new += new_breaks(before, after, name, _predicted(other))
                gone += new_breaks(after, before, name, _predicted(first))
    return Upgrade(tuple(columns), tuple(new), tuple(gone), tuple(ended), tuple(begun))


def _pairs(first: Column, other: Column) -> Iterator[tuple[TargetRun, TargetRun]]:
    yield from zip((one.run for one in first.sides), (one.run for one in other.sides), strict=True)


def _predicted(column: Column) -> Mapping[tuple[str, int], bool]:
    """The lines at which the static pass for the column's torch expects a break."""
    return {
        (one.location.path, line): True
        for one in column.verification.report.findings
        if Effect.GRAPH_BREAK in one.effects and not one.rule.code.startswith("CL9")
        for line in range(one.location.span.line, one.location.span.end_line + 1)
    }
