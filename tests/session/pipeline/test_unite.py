"""Several runs as one report: every count is summed, every list holds each item once."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from compilelint.model import Confidence, Effect, Finding, Location, Notice, Rule, Span
from compilelint.project.compile_calls import CompileCall
from compilelint.report.report import CompileRoot, Report, TorchTarget
from compilelint.session.pipeline.unite import united

PLACES = [Location("/m.py", Span(line, 1, line, 2)) for line in range(4)]
RULE = Rule("CL101", "branch-on-tensor", "", Effect.GRAPH_BREAK)
FOUND = [Finding(RULE, "m", RULE.effects, Confidence.CERTAIN, place) for place in PLACES]
ROOT: Any = CompileRoot
ROOTS = [ROOT(f"f{number}", *[None] * (len(CompileRoot._fields) - 1)) for number in range(3)]
CALLS = [CompileCall(place, "torch.compile") for place in PLACES]

FIRST = Report(
    (FOUND[2], FOUND[3]),
    2,
    TorchTarget("2.13.0", "found"),
    "/",
    notices=(Notice("torch", "a"), Notice("torch", "b")),
    suppressed=1,
    hidden=2,
    min_confidence=Confidence.LIKELY,
    torch_versions=("2.12.0", "2.13.0"),
    roots=(ROOTS[0],),
    unjudged=(ROOTS[1],),
    calls=(CALLS[0],),
    asked_roots=("auto",),
    baselined=3,
    unchanged=4,
)
SECOND = replace(
    FIRST,
    findings=(FOUND[1], FOUND[2]),
    files_checked=5,
    torch=TorchTarget("2.11.0", "named"),
    notices=(Notice("torch", "b"), Notice("torch", "c")),
    suppressed=10,
    hidden=20,
    min_confidence=Confidence.POSSIBLE,
    torch_versions=("2.13.0", "2.14.0"),
    roots=(ROOTS[0], ROOTS[2]),
    unjudged=(ROOTS[2],),
    calls=(CALLS[0], CALLS[1]),
    asked_roots=("all",),
    baselined=30,
    unchanged=40,
)


def test_two_runs_are_one_report() -> None:
    both = united([FIRST, SECOND])
    assert both.findings == tuple(FOUND[1:])
    assert both.torch == TorchTarget("2.13.0, 2.11.0", "found; named")
    assert [one.text for one in both.notices] == ["a", "b", "c"]
    assert (both.files_checked, both.suppressed, both.hidden, both.baselined, both.unchanged) == (7, 11, 22, 33, 44)
    assert both.min_confidence == Confidence.POSSIBLE
    assert both.torch_versions == ("2.12.0", "2.13.0", "2.14.0")
    assert both.roots == (ROOTS[0], ROOTS[2])
    assert both.unjudged == (ROOTS[1], ROOTS[2])
    assert both.calls == (CALLS[0], CALLS[1])
    assert both.asked_roots == ("auto", "all")


def test_what_runs_share_is_named_once() -> None:
    assert united([FIRST, FIRST]).torch == FIRST.torch


def test_a_single_run_is_its_own_report() -> None:
    assert united([FIRST]) is FIRST
