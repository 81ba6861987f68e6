"""The demo: what compilelint says of it holds against what TorchDynamo was recorded to do with it."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from rich.text import Text

from benchmarks import score, screenshots
from compilelint.checks import rulebook
from compilelint.config import Options
from compilelint.model import Confidence, Finding
from compilelint.report.formats import render
from compilelint.report.formats.grouped import render as grouped
from compilelint.report.report import Report
from compilelint.session.commands.lint import lint
from tests.demo_cases import DEMO
from tests.record_demo import COMMAND, RECORDED, recorded

AGAIN = "the pictures show another version; run `python -m benchmarks.screenshots docs/screens --all`"


@pytest.fixture(scope="module")
def findings() -> tuple[Finding, ...]:
    """Everything that compilelint says about the demo, possible findings too."""
    return lint(Options((str(DEMO),), torch_version="2.13.0", min_confidence=Confidence.POSSIBLE)).findings


@pytest.fixture(scope="module")
def table(findings: tuple[Finding, ...]) -> Mapping[str, Any]:
    """The scorer's table for the default confidence."""
    report = {
        "findings": [
            {
                "rule": one.rule.code,
                "path": one.location.path,
                "line": one.location.span.line,
                "end_line": one.location.span.end_line,
                "effect": one.effect.value,
                "effects": [effect.value for effect in one.effects],
                "confidence": one.confidence.label,
            }
            for one in findings
        ]
    }
    hits = score.hits_of(report, DEMO, "graph-break", "likely", ())
    truth = score.truth_of(score.read_cases([RECORDED]))
    judgement = score.judge(truth, hits)
    print("\n".join(score.mistakes_text(truth, judgement, 20)))  # noqa: T201 - shown by pytest if a test fails
    return score.summary(truth, judgement, hits, "likely")


def test_the_demo_is_large_enough_to_mean_something() -> None:
    rows = [json.loads(line) for line in RECORDED.read_text(encoding="utf-8").splitlines()]
    assert sum(row["label"] == "break" for row in rows) >= 30
    assert sum(row["label"] == "clean" for row in rows) >= 15


def test_what_is_said_is_true(table: Mapping[str, Any]) -> None:
    assert table["precision"] >= 0.96
    assert table["clean_cases_with_a_false_alarm"] == 0


def test_what_breaks_is_said(table: Mapping[str, Any]) -> None:
    assert table["recall"] >= 0.88


@pytest.fixture(scope="module")
def report() -> Report:
    """What is reported of the demo by default, as the pictures of docs/screens show it."""
    return lint(Options((str(DEMO),), torch_version="2.13"), fixes=True)


def test_the_picture_of_the_terminal_shows_what_is_printed(report: Report, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(screenshots.ROOT)
    printed = grouped(report, color=False, width=screenshots.WIDTH, summary=True).splitlines()
    for theme in screenshots.THEMES:
        picture = (screenshots.ROOT / "docs" / "screens" / f"terminal-{theme}.svg").read_text(encoding="utf-8")
        assert screenshots.texts_of(picture) == "".join("".join(printed[: screenshots.MOST_LINES]).split()), AGAIN


@pytest.mark.parametrize("name", screenshots.TERMINALS)
def test_the_pictures_of_a_log_show_what_is_printed(name: str) -> None:
    printed = Text.from_ansi(screenshots.printed(screenshots.TERMINALS[name], screenshots.WIDTH)).plain.splitlines()
    for theme in screenshots.THEMES:
        picture = (screenshots.ROOT / "docs" / "screens" / f"{name}-{theme}.svg").read_text(encoding="utf-8")
        assert screenshots.texts_of(picture) == "".join("".join(printed[: screenshots.MOST_LINES]).split()), AGAIN


def test_the_picture_of_the_report_shows_what_is_reported(report: Report) -> None:
    texts = (screenshots.ROOT / "docs" / "screens" / "report.txt").read_text(encoding="utf-8").splitlines()
    assert len(texts) > 5
    page = "".join(html.unescape(re.sub(r"<[^>]*>", "", render(report, "html"))).split())
    assert [text for text in texts if "".join(text.split()) not in page] == [], AGAIN


def test_the_first_screen_of_the_demo_is_a_screen_and_names_what_to_do_first(report: Report) -> None:
    screen = grouped(report, color=False, width=100, summary=True)
    assert screen.count("\n") <= 40
    assert [line[:4] for line in screen.splitlines() if re.match(r"  \d\. ", line)][:3] == ["  1.", "  2.", "  3."]
    assert f"{len(report.findings)} findings" in screen


def test_the_whole_page_of_the_demo_counts_what_it_leaves_out(report: Report) -> None:
    lines = grouped(replace(report, unfolded=True), color=False, width=100, summary=True).splitlines()
    assert len(lines) <= 120
    own = [line for line in lines if re.match(r" *(error|warning)\[CL", line)]
    twice = sum(int(times) - 1 for line in own for times in re.findall(r"\((\d+)x in this function\)$", line))
    left = sum(int(number) for line in lines for number in re.findall(r"^ +(\d+) (?:more|further) of CL", line))
    cut = sum(line.endswith("…") for line in own)
    assert len(report.findings) - cut <= len(own) + twice + left <= len(report.findings)


def test_every_family_of_graph_breaks_has_an_instance(findings: tuple[Finding, ...]) -> None:
    wanted = {rule.family for rule in rulebook().rules if rule.breaks}
    assert {one.rule.family for one in findings} >= wanted


def test_every_family_of_lines_that_break_nothing_has_an_instance(findings: tuple[Finding, ...]) -> None:
    reported = {one.rule.code for one in findings if one.confidence >= Confidence.LIKELY}
    assert reported >= {"CL301", "CL302", "CL303", "CL308", "CL310", "CL407", "CL501"}
    assert reported >= {"CL701", "CL702", "CL703", "CL704", "CL705", "CL706"}


def test_what_dynamo_compiles_again_by_the_demos_own_doing_is_said(findings: tuple[Finding, ...]) -> None:
    recompiling = {
        f"captioner/{name}": lines
        for name, lines in {"cache.py": {21}, "text/streaming.py": {22, 37, 38, 54, 55, 61, 67}}.items()
    }
    rows = [json.loads(line) for line in RECORDED.read_text(encoding="utf-8").splitlines()]
    again = {row["case"] for row in rows if row["recompiles"]}
    assert again >= {"demo/rotary-positions", "demo/streaming-attention", "demo/balanced-router", "demo/remembered"}
    for file, lines in recompiling.items():
        here = {
            one.location.span.line
            for one in findings
            if one.location.path.endswith(file) and one.rule.family == "CL7" and one.confidence >= Confidence.LIKELY
        }
        assert here <= lines
        assert here


def test_a_break_in_half_precision_only_is_no_more_than_possible(findings: tuple[Finding, ...]) -> None:
    encoder = DEMO / "captioner" / "vision" / "encoder.py"
    (line,) = [i for i, row in enumerate(encoder.read_text().splitlines(), 1) if "torch.float16 and" in row]
    here = [one for one in findings if Path(one.location.path) == encoder and one.location.span.line == line]
    assert [one.confidence for one in here] == [Confidence.POSSIBLE]


def test_a_break_behind_two_calls_names_the_way_to_it(findings: tuple[Finding, ...]) -> None:
    patches = DEMO / "captioner" / "vision" / "patches.py"
    (branch,) = [one for one in findings if Path(one.location.path) == patches and one.rule.code == "CL101"]
    assert branch.break_ids == ("GB0170",)
    assert any("generate" in root for root in branch.roots)


@pytest.mark.slow
@pytest.mark.dynamo
def test_the_record_is_what_dynamo_does() -> None:
    assert RECORDED.read_text(encoding="utf-8") == recorded(), f"stale record, run: {COMMAND}"
