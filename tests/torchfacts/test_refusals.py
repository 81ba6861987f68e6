"""Rows of `refusals.json`: what holds in which version, and that the rows and the code name the same constructs."""

from __future__ import annotations

import ast
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import compilelint.interp
from compilelint.torchfacts import FactsError, load, refusals, store
from compilelint.torchfacts.refusals import NAME, from_content, refusals_of
from compilelint.torchfacts.registry import entries

ROWS = refusals_of().rows
INTERP = Path(compilelint.interp.__file__).parent


def row_of(verdicts: dict[str, str], **more: Any) -> refusals.Refusal:
    """A row as a data file with this one alone gives it."""
    content = {"measured": ["2.13", "2.15"], "refusals": {"KEY": {"verdicts": verdicts, **more}}}
    return from_content(content).rows["KEY"]


@pytest.mark.parametrize(
    ("version", "text"),
    [
        pytest.param("2.12.1", "skip:other@GB0001", id="older than the row"),
        pytest.param("2.13.0", "skip:other@GB0001", id="the release itself"),
        pytest.param("2.14.1", "skip:other@GB0001", id="between two"),
        pytest.param("2.15.0", "ok", id="from the second on"),
        pytest.param("2.16.0", "ok", id="newer than the row"),
    ],
)
def test_a_verdict_holds_until_the_next(version: str, text: str) -> None:
    assert str(row_of({"2.13": "skip:other@GB0001", "2.15": "ok"}).verdict(version)) == text


def test_what_no_program_has_shown_is_known() -> None:
    assert row_of({"2.13": "ok"}, **{"by hand": "2.13 2.14"}).by_hand == {"2.13", "2.14"}


def test_a_construct_that_a_version_takes_has_no_fact() -> None:
    assert load("2.13").refusal("GB0147|combinations_with_replacement") is not None
    assert load("2.15").refusal("GB0147|combinations_with_replacement") is None
    assert load("2.15").traces("GB0147|combinations_with_replacement")


def test_nor_has_one_whose_id_the_version_does_not_have() -> None:
    """Which is not to say that it takes the construct."""
    assert load("2.9").refusal("GB9648|generator == ...") is None
    assert not load("2.9").traces("GB9648|generator == ...")


def test_a_failure_needs_no_id() -> None:
    fact = load("2.15").refusal("where by a condition of integers")
    assert fact is not None
    assert fact.raises
    assert fact.gb_id is None


@pytest.mark.parametrize(("version", "assumed"), [("2.13", False), ("2.14", True), ("2.15", False)])
def test_versions_that_were_not_run_assume(version: str, assumed: bool) -> None:
    fact = load(version).refusal("GB2861")
    assert fact is not None
    assert fact.assumed == assumed


def test_a_key_that_is_not_there_is_an_error() -> None:
    with pytest.raises(KeyError):
        load("2.15").refusal("GB9999|nothing")


@pytest.mark.parametrize("release", refusals_of().measured)
def test_ids_are_those_that_the_source_of_a_measured_version_raises(release: str) -> None:
    raised = {gb_id for gb_id, entry in entries(load(release).version).items() if entry.live}
    assert {row.verdict(release).gb_id for row in ROWS.values()} - {None} <= raised


def strings(folder: Path) -> Iterator[str]:
    """All string constants of a package but docstrings."""
    for path in folder.rglob("*.py"):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        prose = {node.value for node in ast.walk(tree) if isinstance(node, ast.Expr)}
        for node in ast.walk(tree):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and node not in prose:
                yield node.value


def test_the_code_asks_for_each_row_and_for_no_other_id() -> None:
    used = set(strings(INTERP))
    suffixed = {key for key in ROWS if key.endswith(", message not a string")}  # put together where it is asked
    assert ROWS.keys() - used - suffixed == set()
    assert {text for text in used if text[:2] == "GB" and text[2:6].isdigit()} - ROWS.keys() == set()


@pytest.mark.parametrize(
    "row",
    [
        pytest.param({}, id="no verdict at all"),
        pytest.param({"verdicts": {}}, id="verdicts of no version"),
        pytest.param({"verdicts": {"2.13": "sometimes"}}, id="a reason that there is not"),
    ],
)
def test_damage_is_said_with_the_file(tmp_path: Path, row: dict[str, Any]) -> None:
    content = {"schema": store.SCHEMA, "measured": [], "refusals": {"KEY": row}}
    (tmp_path / NAME).write_text(json.dumps(content), encoding="utf-8")
    with pytest.raises(FactsError, match=r"refusals\.json is damaged"):
        refusals_of(tmp_path)
