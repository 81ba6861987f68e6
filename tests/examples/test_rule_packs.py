"""The packs of `examples/`: every case under both torch versions that matter, and rules as short as they should be."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from compilelint.session.commands.test_rules import tried

PACKS = sorted((Path(__file__).parents[2] / "examples" / "rule-packs").glob("*.py"))
MOST_LINES = 30


@pytest.mark.parametrize("version", ["2.13.0", "2.15.0"])
@pytest.mark.parametrize("pack", PACKS, ids=lambda path: path.stem)
def test_every_case_is_as_it_says(pack: Path, version: str) -> None:
    cases = tried([str(pack)], torch_version=version)
    assert len(cases) > 2
    assert [str(case) for case in cases if case.faults] == []


@pytest.mark.dynamo
@pytest.mark.slow
@pytest.mark.parametrize("pack", PACKS, ids=lambda path: path.stem)
def test_dynamo_runs_the_cases_that_say_how(pack: Path) -> None:
    cases = tried([str(pack)], dynamo=True)
    assert {"VALID", "INVALID"} <= {case.kind for case in cases if case.ran}
    assert [str(case) for case in cases if case.faults] == []


@pytest.mark.parametrize("pack", PACKS, ids=lambda path: path.stem)
def test_a_rule_is_at_most_thirty_lines(pack: Path) -> None:
    rules = [one for one in ast.parse(pack.read_text(encoding="utf-8")).body if isinstance(one, ast.ClassDef)]
    lines = {one.name: (one.end_lineno or 0) - one.lineno + 1 for one in rules}
    assert {name: number for name, number in lines.items() if number > MOST_LINES} == {}
