"""Every format against its golden; a change of a report is a change of a file that reviewers see."""

from __future__ import annotations

from pathlib import Path

import pytest

from compilelint.report.formats import FORMATS
from tests.report.golden_reports import COMMAND, FOLDER, golden, written

ELSEWHERE = ("full-60-columns.ansi", "reports.txt", "tables.txt")  # compared in formats/ and beside this file


@pytest.mark.parametrize("name", FORMATS)
def test_the_format_is_as_recorded(name: str, tmp_path: Path) -> None:
    assert written(name, tmp_path) == golden(name).read_text(encoding="utf-8"), f"if this is meant: {COMMAND}"


def test_there_is_no_golden_without_a_format() -> None:
    reports = [file for file in FOLDER.iterdir() if file.name not in ELSEWHERE]
    assert sorted(reports) == sorted(golden(name) for name in FORMATS)
