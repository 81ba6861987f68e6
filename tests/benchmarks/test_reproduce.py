"""The accuracy page: what is run, how the tables are made, and how they get into the page."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import Any

import pytest

from benchmarks import reproduce

LIBRARIES, TIMM, SMALL, SMALL_LATER = reproduce.TARGETS


def report_on(root: Path, *lines: tuple[str, int]) -> dict[str, Any]:
    """Return a report with one graph break predicted on each line."""
    row = {"rule": "CL101", "effect": "graph-break", "confidence": "certain"}
    return {"findings": [row | {"path": str(root / file), "line": line} for file, line in lines]}


def silent(target: reproduce.Target) -> reproduce.Outcome:
    root = target.root or Path("site")
    return reproduce.outcome_of(target, root, report_on(root), 1.0)


def test_the_lint_command_is_the_one_that_the_page_shows() -> None:
    page = reproduce.PAGE.read_text(encoding="utf-8")
    shown = next(line for line in page.splitlines() if line.startswith("    compilelint check SITE/transformers"))
    command = reproduce.lint_command(LIBRARIES, Path("SITE"), Path("report.json"))
    assert command[:3] == [sys.executable, "-m", "compilelint"]
    assert ["compilelint", *command[3:]] == shlex.split(shown)


def test_the_page_names_the_pinned_packages() -> None:
    page = reproduce.PAGE.read_text(encoding="utf-8")
    for name, version in reproduce.PINS.items():
        assert f"{name}=={version}" in page


def test_every_recorded_truth_is_scored_once() -> None:
    recorded = {path.relative_to(reproduce.TRUTH).as_posix() for path in reproduce.TRUTH.rglob("*.gz")}
    assert sorted(name for target in reproduce.TARGETS for name in target.truth) == sorted(recorded)


def test_packages_that_are_there_are_not_fetched_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    commands: list[list[str]] = []
    monkeypatch.setattr("subprocess.run", lambda command, **_: commands.append(command))
    (tmp_path / "timm-1.0.31.dist-info").mkdir()
    reproduce.fetch(tmp_path)
    assert [command[-2:] for command in commands] == [["transformers==5.23.0", "diffusers==0.42.1"]]
    assert "--no-deps" in commands[0]
    for name, version in reproduce.PINS.items():
        (tmp_path / f"{name}-{version}.dist-info").mkdir(exist_ok=True)
    reproduce.fetch(tmp_path)
    assert len(commands) == 1


def test_a_report_that_says_nothing_finds_nothing() -> None:
    outcome = silent(SMALL)
    assert (outcome.places["break_lines"], outcome.places["found"]) == (175, 0)
    assert outcome.recompiles is not None
    assert (outcome.recompiles["recompiling_cases"], outcome.recompiles["found"]) == (8, 0)
    assert silent(LIBRARIES).recompiles is None


def test_nothing_judged_is_a_dash_and_not_a_zero() -> None:
    row = reproduce.latest([silent(TIMM)]).splitlines()[-1].split(" | ")
    assert row[5] == row[8] == reproduce.shown(None)


def test_the_tables_show_what_was_found() -> None:
    file = "transformers/models/nllb_moe/modeling_nllb_moe.py"
    outcome = reproduce.outcome_of(LIBRARIES, Path("site"), report_on(Path("site"), (file, 736)), 12.3)
    cells = reproduce.latest([outcome]).splitlines()[-1].strip("| ").split(" | ")
    assert cells[:9] == ["transformers, diffusers", "2.13", "1", "1", "0", "1.000", "221", "1", "0.004"]
    family = next(row for row in reproduce.families([outcome]).splitlines() if "models/nllb_moe " in row)
    assert family.split(" | ")[2] == "1"
    assert reproduce.history_row([outcome], "2026-01-31", "abc1234") == "| 2026-01-31 | abc1234 | 1: 1.000 / 0.004 |"


def test_small_cases_are_no_model_families() -> None:
    assert len(reproduce.families([silent(SMALL)]).splitlines()) == 2


def test_recompiles_are_shown_for_labelled_cases_only() -> None:
    table = reproduce.recompiles([silent(LIBRARIES), silent(SMALL), silent(SMALL_LATER)]).splitlines()
    assert [row.split(" | ")[1] for row in table[2:]] == ["2.13", "2.15"]


def test_a_block_is_replaced_and_a_line_appended() -> None:
    page = "a\n<!-- x:begin -->\nold\n<!-- x:end -->\nb\n"
    once = reproduce.replaced(page, "x", "new")
    assert once == "a\n<!-- x:begin -->\nnew\n<!-- x:end -->\nb\n"
    assert reproduce.replaced(once, "x", "new") == once
    assert reproduce.appended(once, "x", "more") == "a\n<!-- x:begin -->\nnew\nmore\n<!-- x:end -->\nb\n"


@pytest.mark.parametrize("function", [reproduce.replaced, reproduce.appended])
def test_a_missing_block_is_named(function: Any) -> None:
    with pytest.raises(ValueError, match="no block 'x'"):
        function("a page", "x", "text")


def test_the_page_has_every_block() -> None:
    page = reproduce.PAGE.read_text(encoding="utf-8")
    for block in ("latest", "recompiles", "families"):
        assert reproduce.replaced(page, block, "here").count("here\n<!-- ") == 1
    head = next(line for line in page.splitlines() if line.startswith("| date | commit |"))
    row = reproduce.history_row([silent(target) for target in reproduce.TARGETS], "2026-01-31", "abc1234")
    assert head.count("|") == row.count("|")
    assert reproduce.appended(page, "history", "here") != page
