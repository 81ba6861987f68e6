"""What a worker observes of small models with one trait each, in tests/data/targets/models.py, under real Dynamo."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from compilelint.dynamic.protocol import Settings
from compilelint.dynamic.runner import observe
from compilelint.dynamic.targets import Target, input_set
from compilelint.dynamic.worker_process import Work
from compilelint.model import Fate, TargetRun

pytestmark = pytest.mark.dynamo

TARGETS = Path(__file__).parents[2] / "data" / "targets"
FILE = str(TARGETS / "models.py")
SETTINGS = Settings(python=sys.executable, paths=(str(TARGETS),), explain=True)
X = (input_set(["2x4"], "test"),)

WORK = [
    Target("models:Clean", X, mode="train"),
    Target("models:Breaks", X),
    Target("models:BreaksInLoop", X),
    Target("models:Counts", X),
    Target("models:CountsTooOften", tuple(X * 6)),
    Target("models:Grows", X, dynamic_dims=(("", (0,)),)),
    Target("models:Reorders", X),
    Target("models:Chance", X),
    Target("models:Reader", X),
    Target("models:OtherGradient", X, mode="train"),
    Target("models:FailsCompiled", X),
    Target("models:WritesInput", X),
    Target("models:HasHook"),
    Target("models:HasWrongHook"),
    Target("models:HasSeveral"),
    Target("models:Convolves"),
    Target("models:Regions", X, regions=("blocks",)),
    Target("models:Numbered", X, regions=("blocks",)),
    Target("models:NeedsWidth", X),
    Target("models:NeedsWidth", X, name="with arguments", arguments={"width": 4}),
    Target("models:factory", arguments={"width": 6}),
    Target("models:function", (input_set(["models:inputs"], "test"),)),
    Target("models:Clean", (input_set(["mask=2x4"], "test"),), name="wrong name"),
    Target("models:Clean", X, regions=("nowhere",), name="wrong region"),
]


@pytest.fixture(scope="module")
def runs() -> dict[str, TargetRun]:
    """Every target once, in one batch."""
    return {run.target.removeprefix("models:"): run for run in observe([Work(one) for one in WORK], SETTINGS)}


def line(mark: str) -> int:
    """The line that ends in a comment."""
    rows = Path(FILE).read_text().splitlines()
    return next(number for number, row in enumerate(rows, 1) if row.endswith(f"# {mark}"))


def test_a_clean_model_is_one_graph_and_equal(runs: dict[str, TargetRun]) -> None:
    run = runs["Clean"]
    assert (run.fate, run.graphs, run.own_breaks, run.recompiles) == (Fate.RAN, 1, (), ())
    assert run.parity is not None
    assert run.parity.holds
    assert run.parity.calls == 2
    assert run.compile_seconds > 0
    assert run.witnesses == ()


def test_breaks_have_place_statement_id_reason_and_stack(runs: dict[str, TargetRun]) -> None:
    branch, item = sorted(runs["Breaks"].own_breaks, key=lambda one: one.reason)
    assert (branch.path, branch.line, branch.function) == (FILE, line("BREAK if"), "forward")
    assert (item.path, item.line, item.function) == (FILE, line("BREAK item"), "helper")
    assert branch.statement == "if x.sum() > 0:  # BREAK if"
    assert (branch.reason, item.reason) == ("branch-on-data", "host-read")
    assert [step.function for step in item.stack][-2:] == ["forward", "helper"]
    assert {branch.break_id, item.break_id} == {"GB0170", "GB0124"}


def test_a_break_in_a_loop_skips_the_frame(runs: dict[str, TargetRun]) -> None:
    run = runs["BreaksInLoop"]
    assert [one.line for one in run.own_breaks] == [line("BREAK print")]
    assert "BreaksInLoop.forward" in {one.function for one in run.skipped}


def test_a_counter_recompiles_by_state_and_the_guards_line_is_named(runs: dict[str, TargetRun]) -> None:
    (again,) = runs["Counts"].recompiles
    assert again.cause == "state"
    assert again.source is not None
    assert (again.source.path, again.source.line) == (FILE, line("GUARD step"))
    assert again.guards[0].endswith("step == 0")  # the code alone: the place stands apart from it


def test_instances_that_share_code_are_separate(runs: dict[str, TargetRun]) -> None:
    second, third = runs["Numbered"].recompiles
    assert (second.cause, third.cause) == ("state", "state")
    assert second.instance != third.instance
    (counts,) = runs["Counts"].recompiles
    assert counts.instance != 0


def test_the_limit_of_recompiles_is_seen(runs: dict[str, TargetRun]) -> None:
    (limit,) = runs["CountsTooOften"].limits
    assert limit.function == "forward"
    assert "limit (8)" in limit.text


def test_a_new_size_recompiles_by_inputs(runs: dict[str, TargetRun]) -> None:
    run = runs["Grows"]
    assert {one.cause for one in run.recompiles} == {"inputs"}
    assert run.calls == 4


@pytest.mark.parametrize(
    ("name", "kind", "thing"),
    [
        ("Reader", "state", "self.path"),
        ("OtherGradient", "output", "output"),
        ("Reorders", "output", "output"),
    ],
)
def test_what_differs_from_eager_is_named(runs: dict[str, TargetRun], name: str, kind: str, thing: str) -> None:
    parity = runs[name].parity
    assert parity is not None
    first = parity.divergences[0]
    assert (first.kind, first.name) == (kind, thing)
    assert first.text


def test_gradients_are_compared_in_training(runs: dict[str, TargetRun]) -> None:
    parity = runs["OtherGradient"].parity
    assert parity is not None
    assert "gradient of layer.weight" in {one.name for one in parity.divergences}


def test_chance_is_not_taken_for_a_difference(runs: dict[str, TargetRun]) -> None:
    parity = runs["Chance"].parity
    assert parity is not None
    assert parity.divergences == ()
    assert "eager itself is not deterministic" in parity.unknown


def test_what_compiling_alone_cannot_do_is_a_fate(runs: dict[str, TargetRun]) -> None:
    run = runs["FailsCompiled"]
    assert run.fate is Fate.COMPILE_ERROR
    assert "TorchRuntimeError" in run.detail


def test_inputs_written_by_the_model_are_fresh_in_every_call(runs: dict[str, TargetRun]) -> None:
    parity = runs["WritesInput"].parity
    assert parity is not None
    assert parity.holds


@pytest.mark.parametrize(
    ("name", "source", "inputs"),
    [
        ("HasHook", "`example_inputs` of the model", ("3x4:float32",)),
        ("HasWrongHook", "a guess from the first layer", ("2x4:float32",)),
        ("Convolves", "a guess from the first layer", ("2x3x64x64:float32",)),
        ("factory", "the factory", ("2x6:float32",)),
        ("function", "as asked for", ("x=2x3:float32", "y=3x2:float32")),
    ],
)
def test_where_inputs_come_from(runs: dict[str, TargetRun], name: str, source: str, inputs: tuple[str, ...]) -> None:
    assert (runs[name].fate, runs[name].inputs_from, runs[name].inputs) == (Fate.RAN, source, inputs)


def test_without_inputs_there_is_a_snippet_to_paste(runs: dict[str, TargetRun]) -> None:
    run = runs["HasSeveral"]
    assert run.fate is Fate.NO_INPUTS
    assert 'inputs = { x = "2x3", y = "2x3" }' in run.detail
    assert "--input x=2x3 --input y=2x3" in run.detail


def test_inputs_that_do_not_fit_are_reported_with_the_signature(runs: dict[str, TargetRun]) -> None:
    assert runs["wrong name"].fate is Fate.NO_INPUTS
    assert "do not fit (x)" in runs["wrong name"].detail


def test_regions_are_compiled_instead_of_the_whole(runs: dict[str, TargetRun]) -> None:
    run = runs["Regions"]
    assert (run.fate, run.own_breaks) == (Fate.RAN, ())
    assert run.graphs >= 1
    assert "no submodule 'nowhere'" in runs["wrong region"].detail


def test_arguments_of_a_class(runs: dict[str, TargetRun]) -> None:
    assert runs["NeedsWidth"].fate is Fate.BUILD_ERROR
    assert "NeedsWidth needs width" in runs["NeedsWidth"].detail
    assert runs["with arguments"].fate is Fate.RAN


def test_fullgraph_and_switches_change_what_is_seen() -> None:
    target = Target("models:Breaks", X)
    captured, full = observe(
        [Work(target, changes={"config": {"capture_scalar_outputs": True}}), Work(target, changes={"fullgraph": True})],
        SETTINGS,
    )
    assert [one.line for one in captured.own_breaks] == [line("BREAK if")]
    assert full.fate is Fate.RAN
    assert [one.line for one in full.own_breaks] == [line("BREAK if")]
