"""The recorded exports: complete, in two halves, and the table of rules and the page are made from them."""

from __future__ import annotations

import ast

import pytest

from benchmarks.export import __main__ as export
from benchmarks.export.labels import FOLDER, PROGRAMS, VERSIONS, WAYS, held_out, read


def cases() -> set[str]:
    found = set()
    for path in PROGRAMS.glob("*.py"):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.FunctionDef) and node.name.startswith("make_"):
                found.add(f"{path.stem}:{node.name.removeprefix('make_')}")
    return found


@pytest.mark.parametrize("version", VERSIONS)
def test_every_program_is_recorded_both_ways(version: str) -> None:
    rows = read(version)
    assert {row["case"] for row in rows} == cases()
    for row in (*rows, *read(version, "pages")):
        for way in WAYS:
            assert row[way]["refused"] is bool(row[way]["error"])


def test_both_halves_hold_enough_of_either_kind() -> None:
    rows = read("2.13")
    for half in (True, False):
        refused = [row["strict"]["refused"] for row in rows if held_out(row["case"]) is half]
        assert len(refused) >= 30
        assert 5 < sum(refused) < len(refused) - 5


@pytest.mark.slow
def test_the_table_of_rules_is_made_from_the_recordings() -> None:
    made = export.rule_table()
    assert export.TABLE.read_text(encoding="utf-8") == made, "run `python -m benchmarks.export --update`"


@pytest.mark.slow
def test_the_page_says_what_is_measured() -> None:
    page = (FOLDER / "README.md").read_text(encoding="utf-8")
    for line in export.table():
        assert line in page, "run `python -m benchmarks.export` and put its table into the page"
