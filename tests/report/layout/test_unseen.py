"""What a run did not see stands beside its counts, and no clean report hides it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from compilelint.model import Confidence, Finding, Location, Span
from compilelint.report.formats import render
from compilelint.report.layout.unseen import unseen_data, unseen_words
from compilelint.report.report import CompileRoot, Environment, Report
from compilelint.rulebook import UNPARSABLE_FILE
from compilelint.syntax.newer_syntax import NEEDS
from tests.report.samples import empty

OWN = Environment("/tool", "own")


def root(line: int, *packages: str) -> CompileRoot:
    return CompileRoot(f"f{line}", Location("/p/net.py", Span(line, 1, line, 2)), None, "forward", unseen=packages)


def report(*roots: CompileRoot, **more: object) -> Report:
    return replace(empty(), roots=roots, **more)  # type: ignore[arg-type]


def refused(message: str) -> Finding:
    place = Location("/p/new.py", Span(1, 1, 1, 2))
    return Finding(UNPARSABLE_FILE, message, UNPARSABLE_FILE.effects, Confidence.CERTAIN, place)


def test_packages_are_named_by_how_many_roots_call_them() -> None:
    (line,) = unseen_words(report(root(1, "timm", "audio"), root(2, "audio"), root(3)))
    assert line == ("Not found", "audio (2), timm (1): 2 of 3 roots call them, and what they return is unknown.")


@pytest.mark.parametrize(
    ("chosen", "words"),
    [
        ("own", "where compilelint runs, since no environment of the project was found: `--python` names one)."),
        ("active", "$VIRTUAL_ENV)."),
        ("nearby", "the nearest environment to the files)."),
    ],
)
def test_where_they_were_looked_up_is_said_with_why(chosen: str, words: str) -> None:
    ((_, said),) = unseen_words(report(root(1, "timm"), environment=Environment("/env", chosen)))
    assert said.endswith(words)


def test_nothing_is_said_where_all_was_found() -> None:
    assert unseen_words(report(root(1), environment=OWN)) == []


def test_a_file_for_a_later_python_is_named_and_one_that_is_no_python_is_not() -> None:
    found = report(findings=(refused(f"the file {NEEDS} 3.99"), refused("the file is not valid Python")))
    assert unseen_data(found)["newer_python"] == ["/p/new.py"]
    assert [head for head, _ in unseen_words(found)] == ["Not read"]


def test_all_clear_is_not_said_of_what_was_not_seen() -> None:
    whole, part = (render(report(one), "grouped") for one in (root(1), root(1, "timm")))
    assert whole.startswith("All clear")
    assert part.startswith("No findings")
    assert "timm (1)" in part


def test_known_findings_are_said_to_be_known() -> None:
    assert render(report(root(1), baselined=12), "grouped").startswith("No new findings, 12 known")
