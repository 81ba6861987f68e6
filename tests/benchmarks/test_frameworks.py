"""Programs that leave compiling to a framework: what is found is what the real framework's run recorded."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from benchmarks.frameworks.__main__ import PROGRAMS
from compilelint.config import Options
from compilelint.session.commands.lint import lint

TABLE = Path(__file__).parents[2] / "benchmarks" / "log" / "frameworks.md"
ROWS = [line.strip("| ").split(" | ") for line in TABLE.read_text(encoding="utf-8").splitlines() if line[:1] == "|"][2:]
RECORDED = {name: ast.literal_eval(lines) for name, lines, *_ in ROWS}


def test_every_program_is_recorded() -> None:
    assert {program.stem for program in PROGRAMS} == set(RECORDED)
    assert any(RECORDED.values())


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.stem)
def test_the_breaks_of_what_the_framework_compiles_are_found(program: Path) -> None:
    report = lint(Options((str(program),), torch_version="2.13", no_cache=True, roots=("explicit",)))
    assert sorted(finding.location.span.line for finding in report.findings) == RECORDED[program.stem]
