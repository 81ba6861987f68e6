"""The report on a deployment: a verdict a function, with the speeds that follow from measured steps, and advice."""

from __future__ import annotations

from dataclasses import replace

import pytest

from compilelint.events import DynamoConfig
from compilelint.model import Confidence, Effect, Finding
from compilelint.report.overview.deployment.deploy import deploy
from compilelint.report.overview.deployment.expected import causes, expected, steps_until_it_pays
from compilelint.report.overview.deployment.plan import Asked, Deployment, Purpose
from compilelint.report.overview.deployment.sections import headline, sections
from compilelint.report.overview.measured import Measured
from compilelint.report.overview.overview import overview
from compilelint.report.report import CompileRoot
from compilelint.survey.practices import Practice
from compilelint.torchfacts.costs import Cause, Setting, paces
from tests.report.overview.samples import BREAK, SPLIT, at, finding, report, root


def deployed(
    purpose: Purpose,
    roots: tuple[CompileRoot, ...],
    findings: tuple[Finding, ...] = (),
    practices: tuple[Practice, ...] = (),
    tops: tuple[str, ...] = (),
) -> Deployment:
    """The deployment of these; what CUDA graphs cannot hold is judged for all."""
    whole = report(findings, roots)
    recorded = replace(whole, findings=tuple(one for one in findings if Effect.CUDAGRAPH in one.effects))
    found = overview(whole, recorded, Confidence.LIKELY, Measured())
    return deploy(found, Asked(purpose, practices, frozenset(tops)), lambda path: path.rpartition("/")[2])


def words(found: Deployment) -> str:
    """All of it as text."""
    lines = []
    for section in sections(found):
        lines += [section.title, *(line for item in section.items for line in (item.text, *item.details)), section.more]
    return "\n".join(lines)


def practice(kind: str, line: int = 30, path: str = "/p/train.py", **more: str) -> Practice:
    return Practice(kind, at(line, path), **more)  # type: ignore[arg-type]


COMPILED = root(compiled_at=9)
MANY = tuple(finding(BREAK, line) for line in range(20, 32))


@pytest.mark.parametrize(
    ("roots", "findings", "kind", "text"),
    [
        ((COMPILED,), (), "compile", 'compile it, with `mode="reduce-overhead"`'),
        ((COMPILED,), (finding(BREAK, 20),), "fix", "fix 1 break, first model.py:20 (CL101)"),
        ((COMPILED,), MANY, "eager", "leave it eager until the breaks are fixed"),
        ((COMPILED,), (finding(SPLIT, 20),), "compile", "model.py:20 (CL823) keeps CUDA graphs from recording it"),
        (
            (root(compiled_at=9, config=DynamoConfig(fullgraph=True)),),
            (finding(BREAK, 20),),
            "fix",
            "compiling raises at 1 place",
        ),
        ((root(compiled_at=9, graphs=0),), (finding(BREAK, 20),), "eager", "nothing of it stays compiled"),
    ],
)
def test_the_verdict_follows_from_what_was_found(
    roots: tuple[CompileRoot, ...], findings: tuple[Finding, ...], kind: str, text: str
) -> None:
    (verdict,) = deployed("train", roots, findings).verdicts
    assert verdict.kind == kind
    assert text in verdict.words


def test_what_is_called_once_beside_a_loop_is_left_eager() -> None:
    once = practice("once", 9, path="/p/model.py", name="f", detail="step")
    words_of = [one.words for one in deployed("serve", (COMPILED,), practices=(once,)).verdicts]
    assert words_of == ["leave it eager, or measure: it is called once where a loop calls `step`"]
    other = practice("once", 10, path="/p/model.py", name="f", detail="step")
    assert deployed("serve", (COMPILED,), practices=(other,)).verdicts[0].kind == "compile"


@pytest.mark.parametrize(
    ("found", "text"),
    [
        pytest.param((practice("reads", detail="loop"),), "the host reads", id="not in training"),
        pytest.param((practice("masks", detail="inference"),), "a mask", id="a mask without gradients"),
        pytest.param((practice("autocast"),), "casts the weights", id="autocast in training keeps float32 weights"),
    ],
)
def test_what_is_no_step_of_training_is_not_said_of_one(found: tuple[Practice, ...], text: str) -> None:
    assert text not in words(deployed("train", (COMPILED,), practices=found))


@pytest.mark.parametrize(
    ("found", "said"),
    [
        pytest.param((), True, id="nothing"),
        pytest.param((practice("half"),), False, id="half precision somewhere"),
        pytest.param((practice("precision"),), False, id="TF32"),
    ],
)
def test_full_precision_in_serving_is_said_where_nothing_sets_it(found: tuple[Practice, ...], said: bool) -> None:
    text = "nothing is set to half precision or TF32"
    assert (text in words(deployed("serve", (COMPILED,), practices=found))) is said


def test_the_loop_that_calls_what_is_compiled_is_named_alone() -> None:
    found = (practice("reads", 30, detail="loop"), practice("reads", 40, detail="compiled"))
    assert "reads results at train.py:40, up to" in words(deployed("serve", (COMPILED,), practices=found))


def test_on_a_device_without_python_a_break_stops_the_export() -> None:
    stopped = deployed("edge", (COMPILED,), (finding(BREAK, 20),)).verdicts[0]
    assert (stopped.kind, stopped.ranges) == ("stopped", ())
    assert deployed("edge", (COMPILED,)).verdicts[0].kind == "export"


def test_speeds_are_those_of_the_measured_steps_and_breaks_make_them_smaller() -> None:
    clean = expected(Setting.TRAIN, (), False, "as it is")
    broken = expected(Setting.TRAIN, [Cause.BREAK] * 2, False, "as it is")
    recorded = expected(Setting.TRAIN, (), True, "with CUDA graphs")
    assert clean is not None
    assert broken is not None
    assert recorded is not None
    measured = [round(pace.eager / pace.default, 2) for pace in paces(Setting.TRAIN)]
    assert (clean.low, clean.high) == (min(measured), max(measured))
    assert broken.low < clean.low
    assert broken.high < clean.high
    assert recorded.high > clean.high


def test_a_break_in_a_loop_counts_three_times_and_other_findings_do_not() -> None:
    broken, split = finding(BREAK, 20), finding(SPLIT, 21)
    assert causes((broken, split), lambda _: False) == [Cause.BRANCH]
    assert causes((broken,), lambda _: True) == [Cause.BRANCH] * 3


def test_the_first_step_has_paid_for_itself_sooner_with_cuda_graphs() -> None:
    plain, recorded = steps_until_it_pays(Setting.TRAIN, False), steps_until_it_pays(Setting.TRAIN, True)
    assert plain is not None
    assert recorded is not None
    assert 0 < plain[0] < plain[1]
    assert 0 < recorded[0] < plain[0]


@pytest.mark.parametrize(
    ("purpose", "found", "text"),
    [
        ("train", practice("optimizer", name="AdamW"), "`AdamW` at train.py:30: `fused=True`"),
        ("train", practice("reads", detail="training"), "the host reads results at train.py:30, up to 0.3 ms each"),
        ("train", practice("reads", name="each", detail="training"), "one parameter after the other at train.py:30"),
        ("serve", practice("reads", detail="loop"), "the host reads results at train.py:30, up to 0.09 ms each"),
        ("serve", practice("masks", detail="inference"), "a mask chooses items at train.py:30"),
        ("train", practice("waits", name="wait", detail="training"), "`wait()` at train.py:30 in each step"),
        (
            "train",
            practice("copies", detail="training"),
            "made on the host and moved at train.py:30, up to 0.2",
        ),
        ("train", practice("attention"), "attention is written out at train.py:30"),
        ("train", practice("tensor loop"), "one tensor after the other at train.py:30"),
        ("serve", practice("grows", name="x"), "`x` becomes longer in each pass at train.py:30"),
        ("serve", practice("single"), "a batch of one is computed and read at train.py:30"),
        ("serve", practice("autocast"), "autocast at train.py:30 casts the weights in each call"),
        ("serve", practice("once", name="f", detail="g"), "`f` at train.py:30 is called once, beside `g`"),
        ("train", practice("distributed", order="inside"), "DDP at train.py:30 (`torch.compile` is outside)"),
        ("train", practice("sharded"), "FSDP at train.py:30: compile each block"),
        ("train", practice("loader", detail="keeps last"), "`drop_last=True` at train.py:30"),
        ("train", practice("caches"), "caches are kept at train.py:30"),
        ("train", practice("methods", name="w", detail="run"), "`w` is a compiled wrapper of which only methods"),
        ("serve", practice("unrolls"), "loops over the size of a tensor at train.py:30 unroll"),
        ("edge", practice("quantized"), "quantization at train.py:30: before the export"),
    ],
)
def test_advice_names_the_line_it_is_about(purpose: Purpose, found: Practice, text: str) -> None:
    assert text in words(deployed(purpose, (COMPILED,), practices=(found,)))


@pytest.mark.parametrize(
    ("purpose", "found", "text"),
    [
        pytest.param("train", practice("optimizer", name="Adam", detail="fused"), "fused=True", id="it is fused"),
        pytest.param("serve", practice("optimizer", name="Adam"), "fused=True", id="nothing is trained"),
        pytest.param("train", practice("reads"), "the host reads", id="a read apart from training"),
        pytest.param("train", practice("loader"), "drop_last", id="the last batch is as large"),
        pytest.param("serve", practice("loader", detail="keeps last"), "drop_last", id="requests come in no loader"),
        pytest.param("train", practice("handed", name="w", detail="run"), "only methods", id="others may call it"),
        pytest.param("train", practice("precision"), "float32_matmul_precision", id="it is set"),
    ],
)
def test_advice_that_does_not_hold_is_not_given(purpose: Purpose, found: Practice, text: str) -> None:
    others = (practice("trains"),) if text == "float32_matmul_precision" else ()
    assert text not in words(deployed(purpose, (COMPILED,), practices=(found, *others)))


def test_accumulated_gradients_forbid_cuda_graphs() -> None:
    found = deployed("train", (COMPILED,), practices=(practice("accumulates", 44),))
    assert "added up before train.py:44" in found.verdicts[0].words
    assert [part.what for part in found.verdicts[0].ranges] == ["as it is"]
    served = deployed("serve", (COMPILED,), practices=(practice("accumulates", 44),))
    assert "added up" not in words(served)


def test_what_tests_do_counts_only_where_there_is_nothing_else() -> None:
    beside = practice("checkpoint", path="/p/tests/t.py")
    assert "checkpoint at t.py" in words(deployed("train", (COMPILED,), practices=(beside,)))
    both = (beside, practice("optimizer", name="Adam"))
    assert "checkpoint at t.py" not in words(deployed("train", (COMPILED,), practices=both))


def test_without_compile_calls_the_outermost_models_are_judged_and_like_verdicts_are_one() -> None:
    roots = (root("Net.forward"), root("Other.forward", 5), root("Layer.forward", 7))
    found = deployed("train", roots, tops=("model:Net", "model:Other"))
    assert [one.name for one in found.verdicts] == ["Net.forward", "Other.forward"]
    assert "the same of `Other.forward`" in words(found)
    assert headline(found) == "Training: 2 functions, compile 2"


def test_the_commands_name_a_function_that_can_be_asked_for() -> None:
    nameless = root("f.<locals>.<lambda>", 3, compiled_at=3, functions=5, spec="model:f.<locals>.<lambda>")
    assert all("lambda" not in one for one in deployed("train", (nameless, COMPILED)).commands)
    assert "compilelint verify model:Net --input SHAPE" in deployed("serve", (COMPILED,)).commands[0]
    assert "--for export" in deployed("edge", (COMPILED,)).commands[0]
