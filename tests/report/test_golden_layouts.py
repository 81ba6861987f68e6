"""Whole reports of runs, of measurements, of everything and of nothing, in every format, against one golden."""

from __future__ import annotations

from tests.report.golden_layouts import COMMAND, GOLDEN, written


def test_reports_are_those_recorded() -> None:
    assert written() == GOLDEN.read_text(encoding="utf-8"), f"if this is meant: {COMMAND}"
