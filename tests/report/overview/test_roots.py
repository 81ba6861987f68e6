"""Which findings belong to which compiled function, what state that is, and which break costs most."""

from __future__ import annotations

import pytest

from compilelint.events import DynamoConfig
from compilelint.model import Finding
from compilelint.report.overview.roots import Compiled, by_cost, compiled_functions
from compilelint.report.report import CompileRoot
from tests.report.overview.samples import BREAK, RECOMPILE, SPLIT, WAIT, at, beside, called, finding, root


def functions(
    roots: list[CompileRoot], findings: list[Finding], unrecorded: tuple[Finding, ...] = ()
) -> list[Compiled]:
    return compiled_functions(roots, findings, unrecorded, lambda one: False)


def test_a_function_that_two_calls_compile_is_one_with_both_configurations() -> None:
    roots = [root(compiled_at=20), root(compiled_at=30, config=DynamoConfig(mode="reduce-overhead"))]
    (one,) = functions(roots, [])
    assert [(place.span.line, config.mode) for place, config in one.calls] == [(20, None), (30, "reduce-overhead")]
    assert one.asks_for_cuda_graphs
    assert one.state == "graphable"


def test_functions_of_one_name_are_distinguished_by_the_file_that_the_way_begins_in() -> None:
    other = root("update", location=at(1, "/p/other.py"))
    here, there = functions(
        [root("update"), other],
        [finding(BREAK, 3, "update"), finding(BREAK, 9, "update", call_chain=called(5, "/p/other.py"))],
    )
    assert [one.location.span.line for one in here.findings] == [3]
    assert [one.location.span.line for one in there.findings] == [9]


def test_a_guess_of_the_same_name_gets_its_own_findings() -> None:
    guess = root("update", kind="unreached")
    known = root("update", 50)
    findings = [finding(BREAK, 3, "update (unreached)"), finding(BREAK, 55, "update")]
    assert [[f.location.span.line for f in one.findings] for one in functions([guess, known], findings)] == [[3], [55]]


def test_what_is_said_about_a_compile_call_belongs_to_what_it_compiles() -> None:
    advice = finding(WAIT, 40, "main", related=beside(20))
    fast, other = functions([root("fast", compiled_at=20), root("main", 60, compiled_at=70)], [advice])
    assert fast.syncs == (advice,)
    assert other.findings == ()


@pytest.mark.parametrize(
    ("config", "findings", "state"),
    [
        pytest.param(DynamoConfig(), [], "graphable", id="nothing found"),
        pytest.param(DynamoConfig(), [finding(RECOMPILE, 3)], "graphable", id="a recompile keeps the graph whole"),
        pytest.param(DynamoConfig(), [finding(BREAK, 3)], "compiled", id="in pieces"),
        pytest.param(DynamoConfig(), [finding(BREAK, 3, skips_frame=True)], "eager", id="nothing stays compiled"),
        pytest.param(DynamoConfig(fullgraph=True), [finding(BREAK, 3)], "fails", id="one graph is asked for"),
        pytest.param(DynamoConfig(fullgraph=True), [finding(RECOMPILE, 3)], "graphable", id="and is given"),
    ],
)
def test_how_far_a_function_gets(config: DynamoConfig, findings: list[Finding], state: str) -> None:
    graphs = 2 if all(not one.skips_frame for one in findings) else 0
    (one,) = functions([root(compiled_at=20, config=config, graphs=graphs)], findings)
    assert one.state == state


def test_what_cuda_graphs_cannot_record_keeps_a_whole_graph_from_being_graphable() -> None:
    (one,) = functions([root()], [], (finding(SPLIT, 4),))
    assert (one.state, one.graphs.most) == ("compiled", 1)


def test_the_dearest_break_comes_first() -> None:
    plain, looped, skipping = finding(BREAK, 2), finding(BREAK, 8), finding(BREAK, 9, skips_frame=True)
    order = by_cost([plain, looped, skipping], lambda one: one is looped)
    assert order == [skipping, looped, plain]


def test_breaks_of_one_cost_come_by_place() -> None:
    assert [one.location.span.line for one in by_cost([finding(BREAK, 8), finding(BREAK, 2)], lambda one: False)] == [
        2,
        8,
    ]
