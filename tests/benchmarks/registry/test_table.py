"""The page of graph-break ids is that of the stored data, and its rows say what the data say."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchmarks.registry import table
from benchmarks.registry.labels import PROGRAMS, VERSIONS, ids_of


@pytest.fixture(scope="module")
def lines() -> dict[str, table.Line]:
    """The lines of the table by id."""
    return {line.entry.gb_id: line for line in table.lines()}


def test_the_page_is_that_of_the_data(lines: dict[str, table.Line]) -> None:
    text = table.PAGE.read_text(encoding="utf-8")
    assert text == table.page(list(lines.values())), "run `python -m benchmarks.registry --update`"


def test_what_is_shipped_is_that_of_the_data(lines: dict[str, table.Line]) -> None:
    text = table.SHIPPED.read_text(encoding="utf-8")
    assert text == table.shipped(list(lines.values())), "run `python -m benchmarks.registry --update`"


def test_what_was_read_of_dynamo_and_what_was_recorded_agree() -> None:
    assert list(table.problems()) == []


def test_a_line_joins_id_rule_forms_programs_and_what_is_found(lines: dict[str, table.Line]) -> None:
    item = lines["GB0124"]
    assert item.raised == VERSIONS
    assert item.forms > 0
    assert item.reach is not None
    assert item.reach.reachable == "yes"
    assert item.complete
    assert set(item.predicted["2.13"]) <= set(item.shown["2.13"])
    assert lines["GB0170"].rules == ("CL101",)


def test_a_program_that_is_not_recorded_is_a_problem(monkeypatch: pytest.MonkeyPatch) -> None:
    reach = {"GB0124": table.Reach("yes", "tensor.py: item().", ("tensors/nowhere",), ("tensors/read_scalar",))}
    monkeypatch.setattr(table, "reaches", lambda: reach)
    assert list(table.problems()) == [
        "GB0124: tensors/nowhere is not recorded",
        "GB0124: tensors/read_scalar is no near miss, it is break",
    ]


def test_two_files_do_not_speak_of_one_id(tmp_path: Path) -> None:
    for name in ("a.json", "b.json"):
        (tmp_path / name).write_text(json.dumps({"GB0124": {"reachable": "yes", "how": "item()"}}), encoding="utf-8")
    with pytest.raises(ValueError, match=r"GB0124 stands in b\.json and in a file before it"):
        table.reaches(tmp_path)


def test_an_id_that_no_source_raises_is_counted_apart(lines: dict[str, table.Line]) -> None:
    gone = [line for line in lines.values() if not line.raised]
    assert gone
    text = table.ids(gone)
    assert text.count("| no more |") == len(gone)
    assert "| not settled |" not in text


def test_every_recorded_case_has_its_program() -> None:
    sources = {path.stem: path.read_text(encoding="utf-8") for path in PROGRAMS.glob("*.py")}
    for rows in table.labels().values():
        assert rows
        for case, row in rows.items():
            area, _, name = case.partition("/")
            assert f"def make_{name}(" in sources[area], case
            assert row["label"] != "invalid", f"{case}: {row['error']}"


def test_names_give_nothing_away() -> None:
    """No case, class or function is named by an id or by its outcome."""
    for path in PROGRAMS.glob("*.py"):
        text = path.read_text(encoding="utf-8")
        assert "GB0" not in text, path.name
        assert "breaks" not in text, path.name
        assert text.count("\n") < 700, f"{path.name} is long: start another file"


def test_the_ids_of_a_row_are_those_of_its_chain_too() -> None:
    row = {"breaks": [{"gb": "GB0127", "chain": ["GB7000"]}, {"gb": "", "chain": []}]}
    assert ids_of(row) == {"GB0127", "GB7000"}
