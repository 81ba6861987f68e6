"""Recorded runs of `tests/data/traces/programs`: what TORCH_TRACE and TORCH_LOGS wrote in one run, by torch version."""

from __future__ import annotations

from pathlib import Path

from compilelint.trace.events import Event
from compilelint.trace.files import lines_of
from compilelint.trace.read import Reader, Tally

TRACES = Path(__file__).parent.parent / "data" / "traces"
PROGRAMS = TRACES / "programs"
RUNS = sorted(folder.parent for folder in TRACES.glob("*/*/trace.log"))
IDS = [f"{run.parent.name}-{run.name}" for run in RUNS]


def events_of(path: Path) -> tuple[list[Event], Tally]:
    """All events of one file, and what was read."""
    tally = Tally()
    return [seen.event for seen in Reader(tally).read(lines_of(str(path)))], tally


def run_of(name: str, version: str = "2.13.0") -> Path:
    """The folder of one recorded run."""
    return TRACES / version / name
