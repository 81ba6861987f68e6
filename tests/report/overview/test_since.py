"""What has changed since an earlier report: by fingerprint, in graphs, and in expected milliseconds."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from compilelint.model import Confidence, Finding
from compilelint.report.formats.json import findings_data
from compilelint.report.overview import console, markdown
from compilelint.report.overview import json as for_programs
from compilelint.report.overview.measured import Measured
from compilelint.report.overview.overview import Overview, overview
from compilelint.report.overview.since import NoReportError, Since, since, since_accepted
from compilelint.report.report import CompileRoot
from tests.report.overview.samples import BREAK, RECOMPILE, finding, report, root

FIRST = finding(BREAK, 3, line_text="if x.sum() > 0:")
OTHER = finding(BREAK, 9, line_text="if y.any():")


def made(findings: tuple[Finding, ...], graphs: int = 2) -> Overview:
    roots: tuple[CompileRoot, ...] = (root(compiled_at=20, graphs=graphs),)
    return overview(report(findings, roots), None, Confidence.LIKELY, Measured())


def compared(before: Overview, after: Overview) -> Since:
    return since(after.report, after.functions, json.loads(for_programs.render(before)), "before.json")


def test_what_moved_is_the_same_and_what_went_or_came_is_named() -> None:
    moved = replace(FIRST, location=replace(FIRST.location, span=FIRST.location.span._replace(line=40, end_line=40)))
    found = compared(made((FIRST, OTHER)), made((moved,)))
    assert ([(one.rule, one.place) for one in found.fixed], found.new) == ([("CL101", "model.py:9")], ())
    assert compared(made((FIRST,)), made((FIRST, OTHER))).new == (OTHER,)


def test_the_line_for_a_pull_request_holds_counts_and_milliseconds() -> None:
    assert compared(made((FIRST, OTHER)), made((FIRST,))).words == (
        "Since before.json: 1 fixed, 0 new, no function worse; 0.1 to 1.3 ms a step less expected."
    )
    assert "ms a step more expected" in compared(made((FIRST,)), made((FIRST, OTHER))).words
    assert compared(made((FIRST,)), made((FIRST,))).words == "Since before.json: 0 fixed, 0 new, no function worse."


def test_what_has_no_price_in_each_step_is_in_no_sum() -> None:
    found = compared(made(()), made((finding(RECOMPILE, 5),)))
    assert (len(found.new), found.low, found.high) == (1, 0.0, 0.0)


@pytest.mark.parametrize(
    ("before", "after", "worse"),
    [
        pytest.param(2, 4, 1, id="more graphs"),
        pytest.param(4, 2, 0, id="fewer graphs"),
        pytest.param(2, 0, 1, id="no longer compiled"),
        pytest.param(0, 3, 0, id="compiled now"),
    ],
)
def test_a_function_is_worse_in_more_pieces(before: int, after: int, worse: int) -> None:
    found = compared(made((FIRST,), before), made((FIRST,), after))
    assert [(one.name, one.before, one.after) for one in found.graphs] == [("Net.forward", before, after)]
    assert found.worse == worse


def test_a_mere_possibility_is_neither_new_nor_fixed() -> None:
    maybe = replace(OTHER, confidence=Confidence.POSSIBLE)
    document = {"findings": findings_data(made((FIRST,)).report)}
    found = since(replace(report((FIRST, maybe)), roots=()), (), document, "check.json")
    assert (found.fixed, found.new, found.graphs) == ((), (), ())


@pytest.mark.parametrize(
    "document",
    [
        pytest.param([], id="a list"),
        pytest.param({"targets": []}, id="of another command"),
        pytest.param({"findings": [{"rule": "CL101"}]}, id="findings without fingerprints"),
        pytest.param({"findings": [], "functions": [{"name": "f"}]}, id="functions of something else"),
    ],
)
def test_what_is_no_report_is_refused(document: Any) -> None:
    with pytest.raises(NoReportError):
        since(report(), (), document, "x.json")


def test_every_format_says_it() -> None:
    after = made((FIRST, OTHER), 4)
    found = replace(after, since=compared(made((FIRST,)), after))
    assert found.since is not None
    for text in (console.render(found), markdown.render(found)):
        assert "0 fixed, 1 new, 1 function worse" in text
        assert "4 graphs, was 2 graphs" in text
    assert json.loads(for_programs.render(found))["since"]["summary"] == found.since.words


@pytest.mark.parametrize(
    ("accepted", "now", "worse"),
    [(2, 2, None), (1, 2, True), (3, 2, False), (0, 2, False)],
    ids=["as accepted", "more graphs", "fewer", "it compiled to none"],
)
def test_accepted_graphs_are_held_against_those_expected(accepted: int, now: int, worse: bool | None) -> None:
    functions = made((FIRST,), graphs=now).functions
    found = since_accepted(functions, {"model:Net": {"graphs": accepted}, "gone:Net": {"graphs": 1}}, "lock")
    assert [one.is_worse for one in found.graphs] == ([] if worse is None else [worse])
    assert found.targets == 1
