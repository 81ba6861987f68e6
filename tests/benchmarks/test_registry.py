"""The page of graph-break ids is that of the shipped data, and its rows say what the data say."""

from __future__ import annotations

from benchmarks import registry


def test_the_page_is_that_of_the_data() -> None:
    assert registry.PAGE.read_text(encoding="utf-8") == registry.page(), "run `python -m benchmarks.registry --update`"


def test_rows_join_id_rule_and_measured_forms() -> None:
    by_id = {row.entry.gb_id: row for row in registry.rows()}
    written = by_id["GB0067"]
    assert written.rules == ("CL509",)
    assert "syntax:write in checkpoint" in written.forms
    assert written.raised == registry.VERSIONS
    assert by_id["GB0170"].rules == ("CL101",)


def test_an_id_that_no_source_raises_is_counted_apart() -> None:
    gone = [row for row in registry.rows() if not row.raised]
    assert gone
    assert all(f"| {row.entry.gb_id} |" in registry.page() for row in gone[:3])
    assert "| no more |" in registry.page()
