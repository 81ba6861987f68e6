"""Counts by rule."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from compilelint.report.layout.statistics import statistics
from tests.report.samples import empty, sample


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_statistics_put_the_most_frequent_rule_first(tmp_path: Path) -> None:
    report = sample(tmp_path)
    report = replace(report, findings=(*report.findings, report.findings[1]))
    assert statistics(report).splitlines() == [
        "     2  CL102  host-read  (2 warnings)",
        "     1  CL101  branch-on-tensor  (1 error)",
    ]
    assert statistics(empty()) == "no findings"
