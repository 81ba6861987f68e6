"""The first screen: roots, then rules worst first, one finding of each in full, and counts of what is not shown."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from compilelint.model import Confidence, Effect, Finding, Rule, Span, site
from compilelint.report.formats.grouped import render as grouped
from compilelint.report.report import Report
from tests.report.samples import READ, sample


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def text_of(report: Report, width: int | None = 100, links: bool = False) -> str:
    """All of it, however long."""
    return grouped(replace(report, unfolded=True), color=links, width=width, summary=True, links=links)


def many(report: Report, rules: int, each: int) -> Report:
    """`rules` rules with `each` findings, all in functions of their own."""
    first = report.findings[0]
    found = tuple(
        replace(
            first,
            rule=Rule(f"CL{100 + rule}", f"rule-{rule}", "is found", Effect.GRAPH_BREAK),
            location=replace(first.location, span=Span(3, 8 + number, 3, 9 + number)),
            function=f"f{rule}_{number}",
            fix=None,
        )
        for rule in range(rules)
        for number in range(each)
    )
    return replace(report, findings=found)


def shown_and_counted(text: str) -> tuple[int, int]:
    """How many findings have a line of their own (their frames included), and how many are counted as not shown."""
    lines = re.findall(r"^ *(?:error|warning|note)\[CL\d+\] ", text, re.MULTILINE)
    hidden = sum(int(number) for number in re.findall(r"^ +(\d+) (?:more|further) of CL", text, re.MULTILINE))
    return len(lines), hidden


def test_the_roots_come_first_and_the_worst_rule_next(tmp_path: Path) -> None:
    report = sample(tmp_path)
    text = text_of(replace(report, findings=tuple(reversed(report.findings))))
    assert text.startswith("Compile roots:\n  B.forward: 1 graph break, about 4 graphs")
    assert text.index("error[CL101]") < text.index("warning[CL102]") < text.index("2 findings (1 error, 1 warning)")


def test_further_findings_of_a_rule_take_a_line_each_and_why_is_said_once(tmp_path: Path) -> None:
    text = text_of(many(sample(tmp_path), 1, 4))
    assert text.count("= why:") == text.count("= docs:") == text.count(" --> ") == 1
    assert text.count("\n  error[CL100] model.py:3:") == 3


@pytest.mark.parametrize(
    ("rules", "each"),
    [
        pytest.param(1, 3, id="one rule"),
        pytest.param(10, 3, id="thirty findings of ten rules"),
        pytest.param(40, 1, id="as many rules as lines"),
        pytest.param(41, 1, id="one rule more"),
        pytest.param(3, 300, id="many findings of few rules"),
        pytest.param(60, 20, id="many of everything"),
    ],
)
def test_the_page_stays_short_and_every_finding_is_shown_or_counted(tmp_path: Path, rules: int, each: int) -> None:
    text = text_of(many(sample(tmp_path), rules, each))
    assert text.count("\n") <= 120
    assert sum(shown_and_counted(text)) == rules * each


@pytest.mark.parametrize(("rules", "each", "whole"), [(1, 3, True), (10, 3, False)])
def test_what_does_not_fit_on_a_screen_gives_way_to_the_first_screen(
    tmp_path: Path, rules: int, each: int, whole: bool
) -> None:
    report = many(sample(tmp_path), rules, each)
    text = grouped(report, color=False, width=100, summary=True)
    assert ("= why:" in text) is whole
    assert ("What to do first" in text) is not whole
    assert "= why:" in grouped(report, color=False, width=100, summary=False), "who asks for findings alone gets them"


def test_effects_count_before_places(tmp_path: Path) -> None:
    report = sample(tmp_path)
    slow = Rule("CL309", "slow-rule", "is slow", Effect.SLOW)
    wrong = Rule("CL516", "wrong-rule", "is wrong", Effect.WRONG_RESULT)

    def finding(rule: Rule) -> Finding:
        return replace(report.findings[1], rule=rule, effects=rule.effects, confidence=Confidence.LIKELY)

    text = text_of(replace(report, findings=(finding(slow), finding(READ), finding(wrong))))
    assert re.findall(r"^warning\[(CL\d+)\]", text, re.MULTILINE) == ["CL516", "CL102", "CL309"]


def test_lines_are_cut_to_the_width_and_whole_without_one(tmp_path: Path) -> None:
    report = many(sample(tmp_path), 1, 2)
    long = replace(report, findings=tuple(replace(one, message="word " * 40) for one in report.findings))
    cut = [line for line in text_of(long, 60).splitlines() if line.startswith("  error")]
    assert [(len(line), line[-1]) for line in cut] == [(60, "…")]
    assert text_of(long, None).count("word") == 80


def test_codes_and_ids_link_to_the_site_and_places_to_the_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(site, "SITE", "https://lint.test/")
    text = text_of(many(sample(tmp_path), 1, 2), links=True)
    for address in (site.rule_page("CL100"), site.break_page("GB0170"), (tmp_path / "model.py").as_uri()):
        assert f";{address}\x1b\\" in text
    assert "\x1b]8;" not in text_of(many(sample(tmp_path), 1, 2))
