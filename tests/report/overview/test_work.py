"""The order of the work, what one line of it holds, and what is none."""

from __future__ import annotations

from dataclasses import replace

import pytest

from compilelint.events import DynamoConfig
from compilelint.model import Finding, Outcome, Verdict
from compilelint.report.overview.roots import compiled_functions
from compilelint.report.overview.work import Task, tasks
from compilelint.report.report import CompileRoot
from tests.report.overview.samples import BREAK, RECOMPILE, SPLIT, WAIT, WRONG, finding, root


def work(
    findings: list[Finding],
    roots: list[CompileRoot] | None = None,
    unrecorded: tuple[Finding, ...] = (),
    looped: tuple[int, ...] = (),
) -> list[Task]:
    def in_loop(one: Finding) -> bool:
        return one.location.span.line in looped

    functions = compiled_functions(roots or [root(compiled_at=20)], findings, unrecorded, in_loop)
    reached = {id(one) for function in functions for one in function.findings}
    return tasks(functions, [one for one in findings if id(one) not in reached], in_loop)


def lines(found: list[Task]) -> list[int]:
    return [one.finding.location.span.line for one in found]


def test_wrong_results_come_before_breaks_and_these_before_recompiles_and_waits() -> None:
    found = work([finding(WAIT, 1), finding(RECOMPILE, 2), finding(BREAK, 3), finding(WRONG, 4)])
    assert lines(found) == [4, 3, 2, 1]


def test_what_the_code_compiles_comes_before_models_and_these_before_guesses() -> None:
    roots = [root("guess", 1, kind="unreached"), root("model", 2), root("fast", 3, compiled_at=30)]
    findings = [finding(WRONG, 11, "guess (unreached)"), finding(BREAK, 12, "model"), finding(WAIT, 13, "fast")]
    found = work(findings, roots)
    assert [(one.finding.location.span.line, one.tier) for one in found] == [(13, 0), (12, 1), (11, 2)]


def test_a_break_in_a_loop_comes_before_one_beside_it() -> None:
    found = work([finding(BREAK, 2, help="a"), finding(BREAK, 8, help="b")], looped=(8,))
    assert lines(found) == [8, 2]
    assert [one.reason for one in found] == ["in a loop: a graph ends here", "a graph ends here"]


def test_a_break_raises_where_one_graph_is_asked_for() -> None:
    whole = root(compiled_at=20, config=DynamoConfig(fullgraph=True))
    found = work([finding(WRONG, 1), finding(BREAK, 2)], [whole])
    assert lines(found) == [2, 1]
    assert "raises" in found[0].reason


def test_like_ones_of_several_functions_are_one_task() -> None:
    roots = [root("a", 1, compiled_at=20), root("b", 10, compiled_at=21)]
    same = [finding(BREAK, 2, "a", help="h"), finding(BREAK, 12, "b", help="h"), finding(BREAK, 13, "b", help="other")]
    first, second = work(same, roots)
    assert ([one.location.span.line for one in first.others], first.roots) == ([12], ("a", "b"))
    assert second.others == ()


@pytest.mark.parametrize(
    ("mode", "tier", "asked"), [("reduce-overhead", 0, True), ("max-autotune", 0, True), (None, 3, False)]
)
def test_what_cuda_graphs_cannot_record_counts_under_their_mode(mode: str | None, tier: int, asked: bool) -> None:
    split = finding(SPLIT, 4)
    (one,) = work([], [root(compiled_at=20, config=DynamoConfig(mode=mode))], (split,))
    assert (one.tier, one.mode, one.asked) == (tier, mode or "reduce-overhead", asked)


def test_what_both_lints_found_is_one_task() -> None:
    split = finding(SPLIT, 4)
    recording = root(compiled_at=20, config=DynamoConfig(mode="reduce-overhead"))
    assert len(work([split], [recording], (replace(split),))) == 1


def with_verdict(one: Finding, outcome: Outcome) -> Finding:
    return replace(one, verdict=Verdict(outcome, "seen"))


def test_what_a_run_refuted_is_no_work_and_what_it_confirmed_comes_first() -> None:
    refuted = with_verdict(finding(BREAK, 2), Outcome.REFUTED)
    plain = finding(BREAK, 3, help="a")
    confirmed = with_verdict(finding(BREAK, 4, help="b"), Outcome.CONFIRMED)
    assert lines(work([refuted, plain, confirmed])) == [4, 3]


def test_what_the_log_of_a_run_shows_comes_first_in_its_order() -> None:
    def logged(one: Finding, place: int) -> Finding:
        return replace(one, verdict=Verdict(Outcome.CONFIRMED, f"cause {place}", place=place))

    only_run = logged(finding(RECOMPILE, 30), 1)
    found = work([finding(WRONG, 1), logged(finding(BREAK, 2), 3), logged(finding(WAIT, 3), 2), only_run])
    assert [(one.finding.location.span.line, one.tier, one.reason) for one in found] == [
        (30, 0, "cause 1"),
        (3, 0, "cause 2"),
        (2, 0, "cause 3"),
        (1, 0, ""),
    ]


def test_what_is_behind_a_switch_that_is_off_comes_after_the_rest_of_its_tier() -> None:
    findings = [finding(WRONG, 1), finding(BREAK, 2), finding(WAIT, 3)]
    found = tasks(compiled_functions([root(compiled_at=20)], findings, (), no_loop), (), no_loop, switch_of_first)
    assert [(one.finding.location.span.line, one.off) for one in found] == [(2, ""), (3, ""), (1, "probe")]


def no_loop(_: Finding) -> bool:
    return False


def switch_of_first(one: Finding) -> str:
    return "probe" if one.location.span.line == 1 else ""
