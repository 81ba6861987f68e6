"""The score of files linted alone: which findings count, and what is a break of a file."""

from __future__ import annotations

from typing import Any

from benchmarks import single
from benchmarks.reproduce import PAGE

FILE, HELPER = "lib/models/lamp/modeling_lamp.py", "lib/helpers.py"


def case(breaks: list[dict[str, Any]], model: str = "lib.models.lamp.modeling_lamp.Lamp") -> dict[str, Any]:
    return {"model_class": model, "breaks": breaks, "traced_lines": {FILE: [10, 11, 12, 20, 30], HELPER: [5]}}


IN_HELPER = {"file": HELPER, "line": 5, "span": [5, 5], "stack": [[FILE, 20, "forward"], [HELPER, 5, "help"]]}
OWN = {"file": FILE, "line": 30, "span": [29, 31], "stack": [[FILE, 30, "forward"]]}


def finding(line: int, **more: Any) -> dict[str, Any]:
    row = {"rule": "CL101", "effect": "graph-break", "confidence": "likely", "message": "m", "line": line}
    return row | {"end_line": line} | more


def scored(breaks: list[dict[str, Any]], *findings: dict[str, Any]) -> single.Score:
    total = single.Score()
    single.add(total, FILE, {"findings": list(findings)}, [case(breaks)])
    return total


def test_a_break_in_a_helper_is_found_at_the_call_that_leads_there() -> None:
    total = scored([IN_HELPER], finding(20))
    assert (total.true, total.false, total.breaks, total.found) == (1, 0, 1, 1)


def test_a_traced_line_without_a_break_makes_the_finding_wrong_and_an_untraced_one_leaves_it_open() -> None:
    total = scored([], finding(10), finding(13))
    assert (total.true, total.false, total.unjudged, total.clean, total.flagged) == (0, 1, 1, 1, 1)
    assert total.wrong == [f"{FILE}:10 CL101 m"]


def test_the_span_of_a_break_counts_only_in_its_own_file() -> None:
    assert scored([OWN], finding(29)).true == 1
    assert scored([IN_HELPER], finding(5)).true == 0


def test_only_the_first_lines_of_a_finding_count() -> None:
    assert scored([IN_HELPER], finding(17, end_line=40)).true == 0
    assert scored([IN_HELPER], finding(18, end_line=40)).true == 1


def test_possible_findings_other_effects_and_repeated_lines_are_not_counted() -> None:
    total = scored([IN_HELPER], finding(10, confidence="possible"), finding(10, effect="recompile"))
    assert (total.true, total.false, total.unjudged, total.found) == (0, 0, 0, 0)
    assert scored([IN_HELPER], finding(20), finding(20, rule="CL102")).true == 1


def test_secondary_breaks_are_none() -> None:
    assert scored([IN_HELPER | {"secondary": True}], finding(20)).false == 1


def test_the_files_are_those_of_recorded_models_else_all_that_were_traced() -> None:
    assert single.files_of([case([])]) == [FILE]
    assert single.files_of([case([], model="")]) == [HELPER, FILE]


def test_each_model_type_lies_in_one_half_with_all_its_files() -> None:
    assert single.half_of("a/bert/x.py") == single.half_of("b/bert/y.py")
    assert {single.half_of(f"a/{name}/x.py") for name in ("bert", "gpt2", "t5", "clip")} == {"tuned", "held out"}


def test_the_page_has_a_place_for_the_table() -> None:
    assert "<!-- single:begin -->" in PAGE.read_text(encoding="utf-8")
    assert single.table({"tuned": scored([IN_HELPER], finding(20))}).count("1.000") == 2
