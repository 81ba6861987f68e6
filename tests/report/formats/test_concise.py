"""A line a finding: places, links, and the next step."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from compilelint.model import Safety
from compilelint.report.formats.concise import render as concise
from tests.report.samples import sample


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_concise_is_a_line_a_finding(tmp_path: Path) -> None:
    text = concise(sample(tmp_path), color=False, width=40, summary=False)
    assert text.splitlines() == [
        "model.py:3:8: error[CL101] `if` needs the data of `y`",
        "model.py:5:12: warning[CL102] `.item()` reads [bold]the data[/bold] :smile:",
    ]


def test_places_are_links_only_where_asked(tmp_path: Path) -> None:
    report = sample(tmp_path)
    plain = concise(report, color=True, width=None, summary=False)
    linked = concise(report, color=True, width=None, summary=False, links=True)
    assert "\x1b]8;" not in plain
    assert f"file://{tmp_path.as_posix()}/model.py\x1b\\model.py:3:8\x1b]8;;" in linked


def test_the_next_step_counts_what_safe_fixes_solve_and_what_unsafe_ones_add(tmp_path: Path) -> None:
    report = sample(tmp_path)
    unsafe, plain = report.findings
    assert unsafe.fix is not None
    safe = replace(plain, fix=replace(unsafe.fix, safety=Safety.SAFE))
    both = concise(replace(report, findings=(unsafe, safe)), color=False, width=None, summary=True)
    assert "Next: `compilelint check --diff` shows how 1 of them (2 with --unsafe-fixes) can be fixed; " in both
    alone = concise(replace(report, findings=(safe,)), color=False, width=None, summary=True)
    assert "shows how 1 of them can be fixed; `compilelint check --fix` does it." in alone
