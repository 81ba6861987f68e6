"""How a finding fares when files are linted apart: the names that `benchmarks/invariance.py` gives it."""

from __future__ import annotations

from typing import Any

from benchmarks.invariance import differences

HERE, BEYOND = "/p/here.py", "/p/beyond.py"
PLACE = ("CL101", HERE, 3)


def finding(confidence: str = "certain", ends: str = "") -> dict[str, Any]:
    related = [{"path": ends, "text": "graph break here"}] if ends else []
    return {"confidence": confidence, "related": related}


def fares(whole: dict[Any, Any], part: dict[Any, Any]) -> list[str]:
    return [kind for kind, _ in differences(whole, part, frozenset({HERE}))]


def test_each_difference_has_its_name() -> None:
    assert fares({PLACE: finding()}, {PLACE: finding()}) == ["same"]
    assert fares({PLACE: finding()}, {}) == ["lost"]
    assert fares({PLACE: finding()}, {PLACE: finding("likely")}) == ["less sure"]
    assert fares({PLACE: finding("likely")}, {PLACE: finding()}) == ["surer"]
    assert fares({}, {PLACE: finding()}) == ["new"]
    assert fares({}, {PLACE: finding(ends=HERE)}) == ["new"]
    assert fares({}, {PLACE: finding(ends=BEYOND)}) == ["at a call"]


def test_what_lies_in_other_files_is_not_compared() -> None:
    assert fares({("CL101", BEYOND, 3): finding()}, {}) == []
