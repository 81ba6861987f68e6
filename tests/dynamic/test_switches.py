"""What a change does to the breaks of a target, and which few changes remove them all."""

from __future__ import annotations

from dataclasses import replace

import pytest

from compilelint.dynamic.switches import CHANGES, Change, Effect, changes_for, effect_of, shortest, together
from compilelint.model import Divergence, Fate, ObservedBreak, Parity, TargetRun

DIFFERS = Divergence("output", "output", 0, "by 1")


def at(line: int, statement: str = "", function: str = "f") -> ObservedBreak:
    words = statement or f"line {line}"
    return ObservedBreak("/a.py", line, line, line, function, words, "", "", "", "", (), None, 0)


def run(*breaks: ObservedBreak) -> TargetRun:
    return TargetRun("m:Net", Fate.RAN, breaks=breaks)


def lines(breaks: tuple[ObservedBreak, ...]) -> list[int]:
    return [one.line for one in breaks]


def test_breaks_are_removed_kept_and_added() -> None:
    effect = effect_of("a", run(at(1), at(2), at(3)), run(at(2), at(4)))
    assert (lines(effect.removed), lines(effect.added)) == ([1, 3], [4])


def test_where_lines_move_a_break_is_known_by_its_statement_and_the_same_one_twice_counts() -> None:
    before = run(at(1, "x.item()"), at(2, "x.item()"), at(3, "print( x )"), at(4, "x.item()", "g"))
    after = run(at(11, "x.item()"), at(13, "print(  x )"), at(14, "y.item()"))
    effect = effect_of("a", before, after, moved=True)
    assert (lines(effect.removed), lines(effect.added)) == ([2, 4], [14])


@pytest.mark.parametrize(
    ("effect", "helps"),
    [
        pytest.param(Effect("a", run(), (at(1),), ()), True, id="removes one"),
        pytest.param(Effect("a", run(), (), ()), False, id="removes none"),
        pytest.param(Effect("a", run(), (at(1),), (at(2),)), False, id="adds one"),
        pytest.param(Effect("a", replace(run(), fate=Fate.COMPILE_ERROR), (at(1),), ()), False, id="does not run"),
        pytest.param(Effect("a", replace(run(), parity=Parity(1, 1)), (at(1),), ()), True, id="agrees"),
        pytest.param(Effect("a", replace(run(), parity=Parity(1, 1, (DIFFERS,))), (at(1),), ()), False, id="differs"),
    ],
)
def test_a_change_helps(effect: Effect, helps: bool) -> None:
    assert effect.helps is helps


def test_the_way_takes_what_removes_most_of_what_is_left_and_ends_when_nothing_is() -> None:
    before = run(at(1), at(2), at(3), at(4))
    one = Effect("one", run(), (at(1), at(2)), ())
    two = Effect("two", run(), (at(2), at(3)), ())
    three = Effect("three", run(), (at(1), at(2), at(3)), ())
    worse = Effect("worse", run(), (at(4),), (at(9),))
    assert [chosen.name for chosen in shortest(before, [one, two, three, worse])] == ["three"]
    assert [chosen.name for chosen in shortest(before, [one, two])] == ["one", "two"]
    assert shortest(run(), [one]) == ()
    assert shortest(before, []) == ()


@pytest.mark.parametrize(
    ("break_id", "more"),
    [
        pytest.param("GB9186", ["torch._dynamo.config.trace_autograd_ops = True"], id="a switch that cures this break"),
        pytest.param("GB0264", ["torch._dynamo.config.graph_break_on_nn_param_ctor = False"], id="one that is off"),
        pytest.param("GB0124", [], id="tried on every target"),
        pytest.param("GB0170", [], id="no switch cures it"),
        pytest.param("", [], id="a version without ids"),
    ],
)
def test_the_switch_of_a_targets_own_break_is_tried_too(break_id: str, more: list[str]) -> None:
    before = replace(run(replace(at(1), break_id=break_id), replace(at(2), break_id=break_id)), torch="2.13.0+cpu")
    assert [one.name for one in changes_for(before)] == [*(one.name for one in CHANGES), *more]


@pytest.mark.parametrize(
    ("explanation", "more"),
    [
        pytest.param("builtin operator `print` with", ["reorderable_logging_functions = {print}"], id="moved"),
        pytest.param(
            "the builtin `warnings.warn.` This", ["reorderable_logging_functions = {warnings.warn}"], id="a dot"
        ),
        pytest.param(
            "builtin `logging.Logger.info`", ["ignore_logging_functions = {logging.Logger.info}"], id="dropped"
        ),
        pytest.param("how to trace `print`", [], id="torch names no builtin"),
    ],
)
def test_a_function_that_breaks_is_given_to_the_setting_that_takes_it(explanation: str, more: list[str]) -> None:
    before = replace(run(replace(at(1), break_id="GB0059", explanation=explanation)), torch="2.13.0+cpu")
    added = [one.name for one in changes_for(before)[len(CHANGES) :]]
    assert added == [f"torch._dynamo.config.{one}" for one in more]


def test_several_changes_are_one() -> None:
    changes = [Change("a", {"config": {"x": True}}), Change("b", {"config": {"y": 1}, "dynamic": True}), Change("c")]
    assert together(changes) == {"config": {"x": True, "y": 1}, "dynamic": True}
    assert together([]) == {}
