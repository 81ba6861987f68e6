"""What is reported together."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from compilelint.model import Confidence, Effect, Finding, Fix, Location, Rule, Safety, Span
from compilelint.report.layout.grouping import Group, grouped, ranged


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_names_in_which_an_index_differs_are_shown_as_one() -> None:
    names = ["net.stem", *(f"net.blocks.{n}.attn" for n in range(12)), "net.heads[0]", "net.heads[2]", "net.last.0"]
    assert ranged(names) == ["net.stem", "12x net.blocks[0..11].attn", "2x net.heads[0, 2]", "net.last.0"]


RULE = Rule("CL101", "branch-on-tensor", "a branch", Effect.GRAPH_BREAK)
TOOL = Rule("CL901", "tool", "the tool", Effect.TOOL)
PLACE = Location("a.py", Span(1, 1, 1, 2))
FIRST = Finding(RULE, "one", RULE.effects, Confidence.LIKELY, PLACE, function="f", why="w", help="h")


def test_findings_that_would_read_the_same_are_one_group() -> None:
    others = [replace(FIRST, message="two"), replace(FIRST, location=Location("a.py", Span(9, 1, 9, 2)))]
    assert grouped([FIRST, *others]) == [Group(FIRST, tuple(others))]


@pytest.mark.parametrize(
    "other",
    [
        pytest.param({"confidence": Confidence.POSSIBLE}, id="less sure"),
        pytest.param({"function": "g"}, id="another function"),
        pytest.param({"location": Location("b.py", Span(1, 1, 1, 2))}, id="another file"),
        pytest.param({"location": Location("a.py", Span(1, 1, 1, 2), cell=2)}, id="another cell"),
        pytest.param({"why": "because"}, id="another reason"),
        pytest.param({"help": "do this"}, id="another proposal"),
        pytest.param({"roots": ("g",)}, id="reached from elsewhere"),
        pytest.param({"torch_versions": ("2.13",)}, id="for one torch only"),
        pytest.param({"rule": TOOL}, id="another rule"),
        pytest.param({"fix": Fix(Safety.SAFE, "t", ())}, id="it has a fix, shown with its lines"),
    ],
)
def test_what_would_read_otherwise_stands_alone(other: dict[str, Any]) -> None:
    second = replace(FIRST, **other)
    assert grouped([FIRST, second]) == [Group(FIRST), Group(second)]


def test_surer_findings_stand_apart_although_their_severity_is_the_same() -> None:
    slow = Rule("CL404", "needless", "a copy", Effect.SLOW)
    likely = replace(FIRST, rule=slow, effects=slow.effects)
    certain = replace(likely, confidence=Confidence.CERTAIN)
    assert likely.severity is certain.severity
    assert grouped([likely, certain]) == [Group(likely), Group(certain)]


def test_what_stands_in_no_function_or_is_of_the_tool_is_not_grouped() -> None:
    for one in (replace(FIRST, function=""), replace(FIRST, rule=TOOL, effects=TOOL.effects)):
        assert [group.others for group in grouped([one, one])] == [(), ()]
