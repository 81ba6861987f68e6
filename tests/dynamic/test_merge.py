"""How a run bears on findings: confirmed, refuted, not reached, and what only the run saw. No torch, no parser."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from compilelint.config import Options
from compilelint.dynamic.merge import join, sides, without_places
from compilelint.model import (
    Confidence,
    CudaGraphs,
    Divergence,
    Effect,
    Fate,
    Finding,
    LeftOut,
    LimitHit,
    Location,
    ObservedBreak,
    Outcome,
    Parity,
    Recompile,
    Rule,
    Severity,
    Span,
    Step,
    TargetRun,
)
from compilelint.report.layout.grouping import grouped
from compilelint.session.commands.lint import lint

BREAKING = Rule("CL101", "branch-on-tensor", "the branch depends on data", Effect.GRAPH_BREAK)
RECOMPILING = Rule("CL701", "counter", "a counter is read back", Effect.RECOMPILE)
SYNC = Rule("CL301", "sync", "waits for the device", Effect.SYNC)
UNRECORDED = Rule("CL823", "cudagraph-split", "is not recorded", Effect.CUDAGRAPH)
FALSIFYING = Rule("CL220", "dict-order", "an outer dict is reordered", Effect.WRONG_RESULT)


def finding(line: int, end: int | None = None, rule: Rule = BREAKING, path: str = "/p/a.py") -> Finding:
    span = Span(line, 5, end or line, 9)
    return Finding(rule, "m", rule.effects, Confidence.LIKELY, Location(path, span), function="M.forward")


def seen(line: int, end: int | None = None, after: str = "", path: str = "/p/a.py") -> ObservedBreak:
    return ObservedBreak(
        path,
        line,
        line,
        end or line,
        "forward",
        "if x:",
        "GB0170",
        "branch-on-data",
        "Data-dependent branching",
        "Data-dependent branching\n  Explanation: Detected it.\n  Hint: Use cond.",
        (Step("/p/main.py", 3, "run"), Step(path, line, "forward")),
        Step(path, 1, "M.forward"),
        0,
        after=after,
    )


def run(*breaks: ObservedBreak, traced: tuple[int, ...] = (), name: str = "m:M", **more: Any) -> TargetRun:
    base = TargetRun(
        name, Fate.RAN, place=Step("/p/a.py", 1, "M"), calls=2, breaks=breaks, traced=(("/p/a.py", traced),)
    )
    return replace(base, **more)


def outcome(one: Finding, *runs: TargetRun) -> Outcome | None:
    verdict = join([one], runs)[0].verdict
    return None if verdict is None else verdict.outcome


@pytest.mark.parametrize(
    ("one", "runs", "wanted"),
    [
        pytest.param(finding(5), [run(seen(5))], Outcome.CONFIRMED, id="broke on the line"),
        pytest.param(finding(6), [run(seen(5, 7))], Outcome.CONFIRMED, id="broke in the statement around it"),
        pytest.param(finding(5, 9), [run(seen(8), traced=(5,))], Outcome.REFUTED, id="broke far down in the finding"),
        pytest.param(finding(5), [run(traced=(5,))], Outcome.REFUTED, id="traced without a break"),
        pytest.param(finding(5), [run(traced=(4, 6))], Outcome.NOT_REACHED, id="traced around it"),
        pytest.param(finding(5), [run(traced=(5,)), run(seen(5))], Outcome.CONFIRMED, id="one run broke, one did not"),
        pytest.param(
            finding(5), [run(seen(5, after="constructor"), traced=(5,))], Outcome.NOT_REACHED, id="consequence"
        ),
        pytest.param(finding(5, path="/p/b.py"), [run(seen(5), traced=(5,))], Outcome.NOT_REACHED, id="another file"),
        pytest.param(finding(5, rule=SYNC), [run(traced=(5,))], None, id="a cost is no event"),
        pytest.param(finding(5), [], None, id="nothing ran"),
    ],
)
def test_the_verdict_on_a_break(one: Finding, runs: list[TargetRun], wanted: Outcome | None) -> None:
    assert outcome(one, *runs) is wanted


def test_a_verdict_moves_the_severity() -> None:
    likely = finding(5)
    (confirmed, *_), (refuted, *_), (unreached, *_) = (
        join([likely], [run(seen(5))]),
        join([likely], [run(traced=(5,))]),
        join([likely], [run()]),
    )
    severities = [one.severity for one in (likely, confirmed, refuted, unreached)]
    assert severities == [Severity.WARNING, Severity.ERROR, Severity.NOTE, Severity.WARNING]


def again(line: int = 1, source: int | None = None, cause: str = "state") -> Recompile:
    place = None if source is None else Step("/p/a.py", source, "forward")
    return Recompile("/p/a.py", line, "M.forward", 1, ("self.step == 0",), cause, place)


@pytest.mark.parametrize(
    ("runs", "wanted"),
    [
        pytest.param([run(recompiles=(again(source=5),))], Outcome.CONFIRMED, id="the guard was made there"),
        pytest.param([run(recompiles=(again(source=9),), traced=(5,))], Outcome.REFUTED, id="another line's guard"),
        pytest.param([run(recompiles=(again(),), traced=(5,))], Outcome.CONFIRMED, id="in the function, line unknown"),
        pytest.param([run(recompiles=(again(),))], Outcome.NOT_REACHED, id="in the function, whose line did not run"),
        pytest.param([run(traced=(5,))], Outcome.REFUTED, id="called twice, compiled once"),
        pytest.param([run(traced=(5,), calls=1)], Outcome.NOT_REACHED, id="called once"),
    ],
)
def test_the_verdict_on_a_recompile(runs: list[TargetRun], wanted: Outcome) -> None:
    assert outcome(finding(5, rule=RECOMPILING), *runs) is wanted


@pytest.mark.parametrize(
    ("guard", "seen_guard", "more", "wanted"),
    [
        pytest.param(
            "hasattr(self, 'w')", "not hasattr(self, 'w')", {"source": 3}, True, id="its own, made at the test"
        ),
        pytest.param("hasattr(self, 'w')", "not hasattr(self, 'v')", {"source": 3}, False, id="another attribute's"),
        pytest.param("self.step", "tensor 'z' size mismatch", {"cause": "inputs"}, False, id="of the inputs"),
        pytest.param("self.step", "", {"cause": "inputs"}, False, id="of inputs that nothing names"),
        pytest.param("self.step", "", {}, True, id="of state that nothing names"),
    ],
)
def test_a_finding_that_names_its_guard_goes_by_it(
    guard: str, seen_guard: str, more: dict[str, Any], wanted: bool
) -> None:
    one = replace(finding(5, rule=RECOMPILING), why=f"Dynamo guards `{guard}`, which fails on the second call")
    recompiled = replace(again(**more), guards=(seen_guard,) if seen_guard else ())
    outside, inside = (run(recompiles=(recompiled,), traced=lines) for lines in ((), (5,)))
    assert (outcome(one, inside) is Outcome.CONFIRMED) is wanted
    if not wanted:
        assert outcome(one, outside) is Outcome.NOT_REACHED


LATE = """
import torch
from torch import nn


class Net(nn.Module):
    def forward(self, x):
        if not hasattr(self, "w"):
            self.w = torch.ones(3)
        return x * self.w
"""


@pytest.mark.parametrize(("guard", "wanted"), [("not hasattr(self, 'w')", True), ("not hasattr(self, 'v')", False)])
def test_the_guard_that_a_rule_names_is_the_one_that_torch_names(guard: str, wanted: bool, tmp_path: Path) -> None:
    """The finding's own words, as the rule writes them: a guard made at the test, which stands in another line."""
    (tmp_path / "net.py").write_text(LATE, encoding="utf-8")
    path = str(tmp_path / "net.py")
    (late,) = (one for one in lint(Options((path,), torch_version="2.13", no_cache=True)).findings)
    assert late.rule.code == "CL703"
    seen_guard = Recompile(path, 7, late.function, 1, (guard,), "state", Step(path, 8, "forward"))
    ran = run(recompiles=(seen_guard,), traced=())
    assert (outcome(late, ran) is Outcome.CONFIRMED) is wanted


def test_the_verdict_on_a_wrong_result() -> None:
    apart = Parity(2, 8, (Divergence("state", "self.d", 1, "eager 2, compiled 0"),))
    assert outcome(finding(5, rule=FALSIFYING), run(traced=(5,), parity=apart)) is Outcome.CONFIRMED
    assert outcome(finding(5, rule=FALSIFYING), run(traced=(5,), parity=Parity(2, 8))) is Outcome.NOT_REACHED


def merged(*runs: TargetRun, findings: tuple[Finding, ...] = ()) -> list[tuple[str, int, Effect]]:
    """Code, line and effect of what only the runs saw."""
    new = join(findings, runs)[len(findings) :]
    return [(one.rule.code, one.location.span.line, one.effect) for one in new]


def test_an_unpredicted_break_is_a_finding_once() -> None:
    runs = run(seen(5), seen(7), name="a"), run(seen(7), name="b")
    assert merged(*runs, findings=(finding(5),)) == [("CL906", 7, Effect.GRAPH_BREAK)]


def test_a_break_only_seen_has_dynamos_words_and_the_way_to_it() -> None:
    (found,) = join([], [run(seen(7))])
    assert found.message == "graph break: Data-dependent branching"
    assert found.why.startswith("Explanation: Detected it.")
    assert [site.function for site in found.call_chain] == ["run"]
    assert found.break_ids == ("GB0170",)
    assert found.verdict is not None
    assert found.verdict.outcome is Outcome.RUN_ONLY


def test_recompiles_because_of_inputs_are_no_findings() -> None:
    assert merged(run(recompiles=(again(cause="inputs"),))) == []
    assert merged(run(recompiles=(again(source=8), again(source=8)))) == [("CL908", 8, Effect.RECOMPILE)]


@pytest.mark.parametrize(
    ("instances", "why"),
    [
        pytest.param((1, 2, 3), "3 or more module instances share this code", id="another instance each time"),
        pytest.param((1, 1, 1), "Recompiled 3 times in 2 calls", id="one instance, whose state changes"),
        pytest.param((0, 0, 0), "Recompiled 3 times in 2 calls", id="a function"),
    ],
)
def test_a_recompile_names_the_instances_that_share_the_code(instances: tuple[int, ...], why: str) -> None:
    recompiles = tuple(replace(again(source=8), instance=number) for number in instances)
    (found,) = join([], [run(recompiles=recompiles)])
    assert found.why.startswith(why)
    assert found.help


def test_a_limit_that_is_hit_is_a_finding() -> None:
    assert merged(run(limits=(LimitHit("/p/a.py", 4, "forward", "hit"),))) == [("CL908", 4, Effect.RECOMPILE)]


@pytest.mark.parametrize(
    ("more", "wanted"),
    [
        ({"fate": Fate.TIME_LIMIT, "detail": "still in phase 'compile'"}, ("CL905", Effect.TOOL)),
        ({"fate": Fate.COMPILE_ERROR, "detail": "ValueError: x"}, ("CL907", Effect.ERROR)),
        ({"parity": Parity(1, 2, (Divergence("output", "output", 0, "apart"),))}, ("CL907", Effect.WRONG_RESULT)),
        ({"parity": Parity(1, 2, (Divergence("exception", "what is raised", 0, "e"),))}, ("CL907", Effect.ERROR)),
    ],
)
def test_what_is_wrong_with_a_target_is_a_finding(more: dict[str, Any], wanted: tuple[str, Effect]) -> None:
    ((code, _, effect),) = merged(replace(run(), **more))
    assert (code, effect) == wanted


def test_a_target_without_a_place_is_charged_to_what_names_it() -> None:
    lost = TargetRun("m:M", Fate.IMPORT_ERROR, "No module named 'm'")
    (found,) = without_places(join([], [lost]), "/p/pyproject.toml")
    assert (found.location.path, found.location.span.line) == ("/p/pyproject.toml", 1)


def test_static_and_dynamic_stand_side_by_side() -> None:
    runs = [run(seen(5), seen(7), traced=(5, 6, 7))]
    joined = join([finding(5), finding(6), finding(30)], runs)
    (side,) = sides(joined, runs)
    assert (side.predicted, side.unpredicted, side.refuted) == (1, 1, 1)


def test_findings_of_one_function_with_other_verdicts_are_kept_apart() -> None:
    sure = [replace(finding(line), confidence=Confidence.CERTAIN) for line in (5, 6, 7)]
    judged = join(sure, [run(seen(5), traced=(5, 6))])
    assert len(grouped(sure)) == 1
    assert [len(group.others) for group in grouped(judged)] == [0, 0, 0]


@pytest.mark.parametrize(
    ("one", "kept"),
    [
        pytest.param(run(seen(5)), False, id="a break too many"),
        pytest.param(run(seen(5), max_breaks=1), True, id="a break allowed"),
        pytest.param(run(seen(5), seen(5), seen(9, after="constructor"), max_breaks=1), True, id="one statement"),
        pytest.param(run(recompiles=(again(),), max_recompiles=0), False, id="a recompile too many"),
        pytest.param(run(recompiles=(again(),)), True, id="recompiles not limited"),
        pytest.param(run(fate=Fate.KILLED), False, id="did not run"),
        pytest.param(run(parity=Parity(1, 1, (Divergence("output", "o", 0, ""),)), max_breaks=9), False, id="differs"),
        pytest.param(run(parity=Parity(1, 1, unknown="random")), True, id="cannot be compared"),
    ],
)
def test_the_budget_of_a_target(one: TargetRun, kept: bool) -> None:
    assert one.within_budget is kept


# ------------------------------------------------------------------ CUDA graphs


def recorded(*left_out: LeftOut, lines: tuple[int, ...] = (7,), graphs: int = 2) -> TargetRun:
    traced = (("/p/a.py", lines),)
    return TargetRun("m:Net", Fate.RAN, calls=3, traced=traced, cuda_graphs=CudaGraphs(graphs, left_out))


def test_what_inductor_left_out_in_the_line_confirms() -> None:
    (judged,) = join([finding(7, rule=UNRECORDED)], [recorded(LeftOut("cpu device", "/p/a.py", 7, "forward"))])
    assert judged.verdict is not None
    assert judged.verdict.outcome is Outcome.CONFIRMED
    assert judged.verdict.detail == "left out of CUDA graphs in m:Net: cpu device"


def test_what_it_left_out_further_down_in_the_function_confirms_and_names_the_line() -> None:
    (judged,) = join([finding(7, rule=UNRECORDED)], [recorded(LeftOut("cpu device", "/p/a.py", 9, "forward"))])
    assert judged.verdict is not None
    assert judged.verdict.outcome is Outcome.CONFIRMED
    assert "at line 9 in m:Net" in judged.verdict.detail


def test_a_run_that_was_recorded_whole_refutes() -> None:
    (judged,) = join([finding(7, rule=UNRECORDED)], [recorded()])
    assert judged.verdict is not None
    assert judged.verdict.outcome is Outcome.REFUTED


@pytest.mark.parametrize(
    "run",
    [
        recorded(LeftOut("cpu device", "/p/a.py", 30, "other")),  # something else was left out
        recorded(LeftOut("cpu device")),  # of a place that Inductor does not name
        recorded(graphs=0),  # nothing was recorded, and nothing says why
        recorded(lines=(1,)),  # the line did not run
    ],
)
def test_a_run_that_says_nothing_of_the_line_decides_nothing(run: TargetRun) -> None:
    (judged,) = join([finding(7, rule=UNRECORDED)], [run])
    assert judged.verdict is not None
    assert judged.verdict.outcome is Outcome.NOT_REACHED


def test_a_run_without_recordings_is_silent_about_them() -> None:
    run = TargetRun("m:Net", Fate.RAN, calls=3, traced=(("/p/a.py", (7,)),))
    (judged,) = join([finding(7, rule=UNRECORDED)], [run])
    assert judged.verdict is None


REFUSED = Rule("CL824", "cudagraph-refused", "capture refuses it", Effect.ERROR, more_effects=(Effect.CUDAGRAPH,))


def failing(error: str, lines: tuple[int, ...] = (7,)) -> TargetRun:
    graphs = CudaGraphs(0, (), error)
    return TargetRun("m:Net", Fate.RAN, calls=3, traced=(("/p/a.py", lines),), cuda_graphs=graphs)


@pytest.mark.parametrize(
    ("run", "outcome", "words"),
    [
        pytest.param(
            failing('RuntimeError: output of CUDAGraphs has been overwritten. File "/p/a.py", line 9, in forward\n  y'),
            Outcome.CONFIRMED,
            "raises under CUDA graphs in m:Net",
            id="the error names a line of the function",
        ),
        pytest.param(
            failing("AcceleratorError: operation not permitted when stream is capturing"),
            Outcome.CONFIRMED,
            "at a line that the error does not name",
            id="capture fails, and the error names no line",
        ),
        pytest.param(
            failing('RuntimeError: output of CUDAGraphs was overwritten. File "/p/b.py", line 9, in other'),
            Outcome.NOT_REACHED,
            "failed elsewhere",
            id="the error names another function",
        ),
        pytest.param(
            failing('ValueError: odd size. File "/p/a.py", line 9, in forward'),
            Outcome.NOT_REACHED,
            "failed elsewhere",
            id="the function fails for another reason",
        ),
        pytest.param(
            failing("Unsupported: torch._dynamo.config.capture_scalar_outputs = True"),
            Outcome.NOT_REACHED,
            "failed elsewhere",
            id="a switch that captures scalars is named",
        ),
        pytest.param(
            failing("InductorError: no compiler"),
            Outcome.NOT_REACHED,
            "failed elsewhere",
            id="an error of something else",
        ),
        pytest.param(
            failing("captures", lines=(1,)), Outcome.NOT_REACHED, "no target traced", id="the line did not run"
        ),
        pytest.param(recorded(), Outcome.REFUTED, "recorded as CUDA graphs whole", id="it was recorded"),
    ],
)
def test_a_finding_of_what_fails_under_cuda_graphs_goes_by_the_error(
    run: TargetRun, outcome: Outcome, words: str
) -> None:
    (judged, *_) = join([finding(7, rule=REFUSED)], [run])
    assert judged.verdict is not None
    assert judged.verdict.outcome is outcome
    assert words in judged.verdict.detail


def test_a_run_that_recorded_nothing_refutes_no_failure_of_recording() -> None:
    run = TargetRun("m:Net", Fate.RAN, calls=3, traced=(("/p/a.py", (7,)),))
    (judged,) = join([finding(7, rule=REFUSED)], [run])
    assert judged.verdict is None


def test_a_run_that_failed_says_so_of_what_it_did_not_record() -> None:
    (judged, *_) = join([finding(7, rule=UNRECORDED)], [failing("InductorError: no compiler")])
    assert judged.verdict is not None
    assert judged.verdict.outcome is Outcome.NOT_REACHED
    assert judged.verdict.detail == "traced, but the run failed: InductorError: no compiler"


def inside(line: int, at: int, path: str = "/lib/mel.py", break_id: str = "GB0170") -> ObservedBreak:
    """A break in a library's line that a line of the watched code leads to."""
    stack = (Step("/p/main.py", 3, "run"), Step("/p/a.py", line, "forward"), Step(path, at, "__call__"))
    return replace(seen(line), stack=stack, break_id=break_id)


@pytest.mark.parametrize(
    ("observed", "wanted"),
    [
        pytest.param(inside(5, 40), Outcome.NOT_REACHED, id="another line breaks inside a library"),
        pytest.param(inside(6, 40), Outcome.CONFIRMED, id="the line itself does"),
        pytest.param(inside(5, 40, break_id="GB9999"), Outcome.REFUTED, id="for another reason"),
        pytest.param(seen(5), Outcome.REFUTED, id="another line breaks by itself"),
        pytest.param(replace(inside(5, 40), function="other"), Outcome.REFUTED, id="in another function"),
    ],
)
def test_what_torch_reports_once_refutes_no_second_call(observed: ObservedBreak, wanted: Outcome) -> None:
    second = replace(finding(6), break_ids=("GB0170",))
    assert outcome(second, run(observed, traced=(5, 6))) is wanted


@pytest.mark.parametrize(
    ("runs", "words"),
    [
        pytest.param([run(fate=Fate.TIME_LIMIT)], "not run: target timed out", id="the only one timed out"),
        pytest.param(
            [run(), run(name="m:N", fate=Fate.TIME_LIMIT)],
            "no target that ran traced this line; not run: m:N",
            id="one of two timed out",
        ),
        pytest.param([run()], "no target traced this line", id="all ran"),
    ],
)
def test_a_line_of_a_target_that_did_not_run_says_so(runs: list[TargetRun], words: str) -> None:
    verdict = join([finding(6)], runs)[0].verdict
    assert verdict is not None
    assert (verdict.outcome, verdict.detail) == (Outcome.NOT_REACHED, words)
