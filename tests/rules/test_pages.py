"""Pages and rules agree in both directions, and compilelint says of each page's code what the page says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from compilelint.checks import rulebook
from compilelint.config import Options
from compilelint.model import Confidence, Effect, Finding
from compilelint.rulebook import pages
from compilelint.session.commands.lint import lint
from compilelint.torchfacts import Quirk, Reason, available, load
from tests.rules.pages import Program, file_name, program_of, written

BOOK = rulebook()
# Rules about the tool's own work have no program that Dynamo could run.
RULES = {rule.code: rule for rule in BOOK.rules if rule.effect is not Effect.TOOL}
TOOL_CODES = {rule.code for rule in BOOK.rules} - set(RULES)
PAGES = pages()
ALL = {code: program_of(page) for code, page in PAGES.items() if code in RULES}
PROGRAMS = {code: program for code, program in ALL.items() if not program.measured}
MEASURED = {code: program for code, program in ALL.items() if program.measured}

FIRST_SCREEN = 40
# Reasons that follow from another break or from a run: no line of source causes them by itself.
ONLY_SEEN_IN_A_RUN = {Reason.NESTED_BREAK, Reason.RECOMPILE_LIMIT}


def test_every_rule_has_a_page_and_every_page_a_rule() -> None:
    wanted = {file_name(rule) for rule in RULES.values()}
    found = {page.path for code, page in PAGES.items() if code not in TOOL_CODES}
    assert found == wanted, "a rule is a page in rules/ and a function in src/compilelint/checks/"


@pytest.mark.parametrize("code", sorted(RULES))
def test_the_title_of_a_page_is_its_rule(code: str) -> None:
    rule = RULES[code]
    assert PAGES[code].text.partition("\n")[0] == f"# {rule.code} {rule.name}: {rule.summary}"


def test_what_to_write_stands_on_the_first_screen() -> None:
    """The problem, the code that is right and when to leave it as it is come first; the rest is below More."""
    for code, page in PAGES.items():
        first, more = page.text.split("\n## More\n")
        headings = re.findall(r"^## (.*)$", first, re.MULTILINE)
        assert len(first.splitlines()) <= FIRST_SCREEN, f"{code}: move Bad, or When to ignore it, below More"
        assert headings == [one for one in ("What it finds", "Bad", "Good", "When to ignore it") if one in headings]
        assert {"What it finds", "Good"} <= set(headings), code
        assert "## Why it matters" in more, code


def test_every_reason_to_break_is_claimed_by_exactly_one_rule() -> None:
    claims = [Reason(reason) for rule in RULES.values() for reason in rule.breaks]
    assert sorted(claims) == sorted(set(Reason) - ONLY_SEEN_IN_A_RUN)


@pytest.mark.parametrize("version", available())
def test_no_fact_of_any_version_breaks_for_a_reason_without_a_rule(version: str) -> None:
    facts = load(version)
    claimed = {Reason(reason) for rule in RULES.values() for reason in rule.breaks}
    verdicts = {key: facts.verdict(key) for key in facts.all_keys()}
    silent = [key for key, verdict in verdicts.items() if verdict and verdict.breaks and verdict.reason not in claimed]
    assert silent == []


@pytest.mark.parametrize("code", sorted(PROGRAMS))
def test_bad_is_found_on_the_marked_lines_and_nowhere_else(code: str, tmp_path: Path) -> None:
    program = PROGRAMS[code]
    found = findings(program, tmp_path, "bad.py")
    assert program.marked, "mark the bad lines with a comment"
    assert {(one.location.span.line, one.rule.code) for one in found} == {(line, code) for line in program.marked}


@pytest.mark.parametrize("code", sorted(PROGRAMS))
def test_good_is_clean(code: str, tmp_path: Path) -> None:
    assert [(one.location.span.line, one.rule.code) for one in findings(PROGRAMS[code], tmp_path, "good.py")] == []


@pytest.mark.parametrize("code", sorted(PROGRAMS))
def test_a_finding_says_what_why_and_what_instead(code: str, tmp_path: Path) -> None:
    for one in findings(PROGRAMS[code], tmp_path, "bad.py"):
        assert one.message
        assert "  " not in one.message
        assert one.why.endswith(".")
        assert one.help
        assert not one.help.endswith(".")
        assert one.break_ids


@pytest.mark.parametrize("code", sorted(MEASURED))
def test_a_measured_page_is_found_on_its_marked_lines_and_nowhere_else(code: str, tmp_path: Path) -> None:
    program = MEASURED[code]
    found = [one for one in everything(program, tmp_path, "bad.py") if one.rule.code == code]
    assert program.marked, "mark the bad lines with a comment"
    assert {one.location.span.line for one in found} == program.marked
    assert [one for one in everything(program, tmp_path, "good.py") if one.rule.code == code] == []
    for one in found:
        assert one.why.endswith(".")
        assert one.help
        assert not one.help.endswith(".")


def test_a_page_about_a_quirk_is_silent_where_torch_has_fixed_it(tmp_path: Path) -> None:
    quirks = {code: re.findall(r'^quirk = "(.+)"$', program.run, re.MULTILINE) for code, program in MEASURED.items()}
    about = {code: Quirk(found[0]) for code, found in quirks.items() if found}
    assert set(about.values()) == set(Quirk)
    for code, quirk in about.items():
        assert load("2.13.0").has(quirk)
        assert not load("2.15.0").has(quirk)
        assert code not in {one.rule.code for one in everything(MEASURED[code], tmp_path, "bad.py", "2.15.0")}


def everything(program: Program, folder: Path, name: str, version: str = "2.13.0") -> list[Finding]:
    """What compilelint says of a page's file, the possible included."""
    bad, _ = written(program, folder)
    path = str(bad.with_name(name))
    options = Options(
        (path,), ("all",), torch_version=version, follow_imports="project", min_confidence=Confidence.POSSIBLE
    )
    return list(lint(options).findings)


def findings(program: Program, folder: Path, name: str) -> list[Finding]:
    """What compilelint says at its default confidence about `bad.py` or `good.py` of a page, graph breaks only."""
    bad, _ = written(program, folder)
    # A page's function stands for one that is compiled.
    options = Options((str(bad.with_name(name)),), ("all",), torch_version="2.13.0", follow_imports="project")
    report = lint(options)
    return [one for one in report.findings if Effect.GRAPH_BREAK in one.effects]
