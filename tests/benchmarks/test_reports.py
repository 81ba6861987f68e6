"""The programs in the form users have: found at least as often as when they were last measured, and their labels."""

from __future__ import annotations

import pytest

from benchmarks.reports.__main__ import FOLDER, Hit, false_alarms, found, half_of, hits_of, labels_of, strangers, table
from benchmarks.reports.record import marks_of

ROW = {
    "case": "reports/one",
    "files": ["one.py"],
    "pair_of": None,
    "kinds": ["recompile"],
    "lines": {"recompile": {"one.py": [3]}},
    "recompile_cause": "input",
    "cause": "",
}


def test_labels_are_the_marks_of_the_programs() -> None:
    rows = labels_of(FOLDER / "labels-2.13.jsonl")
    assert {row["files"][0] for row in rows} == {path.name for path in (FOLDER / "programs").glob("*.py")}
    for row in rows:
        lines, cause = marks_of((FOLDER / "programs" / row["files"][0]).read_text())
        assert {kind: {row["files"][0]: numbers} for kind, numbers in lines.items()} == row["lines"]
        assert (cause if "recompile" in lines else None) == row["recompile_cause"]


@pytest.mark.parametrize(
    ("hit", "is_found", "strange"),
    [
        pytest.param(Hit("one.py", 3, "CL714", ("recompile",)), True, False, id="the kind on the line"),
        pytest.param(Hit("one.py", 4, "CL714", ("recompile",)), False, False, id="the kind on another line"),
        pytest.param(Hit("two.py", 3, "CL714", ("recompile",)), False, False, id="another file"),
        pytest.param(Hit("one.py", 3, "CL101", ("graph-break",)), False, False, id="another kind on the line"),
        pytest.param(Hit("one.py", 9, "CL101", ("graph-break",)), False, True, id="another kind elsewhere"),
    ],
)
def test_what_counts_as_found(hit: Hit, is_found: bool, strange: bool) -> None:
    assert found(ROW, "recompile", [hit]) is is_found
    assert bool(strangers(ROW, [hit])) is strange


def test_advice_about_speed_is_no_alarm() -> None:
    row = {**ROW, "kinds": [], "lines": {}}
    assert false_alarms(row, [Hit("one.py", 1, "CL838", ("slow",))]) == []
    assert len(false_alarms(row, [Hit("one.py", 1, "CL101", ("graph-break", "slow"))])) == 1
    assert half_of("one") in ("read", "unread")


def test_programs_are_found_as_often_as_when_they_were_measured() -> None:
    counts = {
        (kind, cause): (count, number)
        for kind, cause, count, number in table(
            [row for row in labels_of(FOLDER / "labels-2.13.jsonl") if row["half"] == "read"],
            hits_of(FOLDER / "programs"),
        )
    }
    assert counts["recompile", ""][0] == 31
    assert counts["recompile", ""][1] >= 30
    assert counts["wrong", ""][1] >= 6
    assert counts["error", ""][1] >= 5
    assert counts["clean", ""][1] <= 1
