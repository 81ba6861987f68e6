"""The programs in the form users have: found at least as often as when they were last measured, and their labels."""

from __future__ import annotations

import pytest

from benchmarks.reports.__main__ import (
    FOLDER,
    SETS,
    Hit,
    false_alarms,
    found,
    half_of,
    hits_of,
    labels_in,
    labels_of,
    strangers,
    table,
)
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


@pytest.mark.parametrize("which", SETS)
def test_labels_are_the_marks_of_the_programs(which: str) -> None:
    rows = labels_of(labels_in(which))
    assert {row["files"][0] for row in rows} == {path.name for path in (FOLDER / which).glob("*.py")}
    for row in rows:
        lines, cause = marks_of((FOLDER / which / row["files"][0]).read_text())
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


@pytest.mark.parametrize(
    ("which", "least", "alarmed"),
    [
        ("programs", {"recompile": (31, 31), "wrong": (6, 6), "error": (7, 7), "slow": (5, 5)}, 0),
        ("around", {"recompile": (27, 27), "wrong": (4, 4), "error": (12, 12), "slow": (5, 5)}, 1),
    ],
)
def test_programs_are_found_as_often_as_when_they_were_measured(
    which: str, least: dict[str, tuple[int, int]], alarmed: int
) -> None:
    rows = [row for row in labels_of(labels_in(which)) if row["half"] == "read"]
    counts = {kind: (number, count) for kind, cause, count, number in table(rows, hits_of(FOLDER / which)) if not cause}
    assert {kind: counts[kind] for kind in least} == least
    assert counts["clean"][0] <= alarmed
