"""What two runs left, side by side: plain differences, and numbers held against the limits of `verify` and `bench`."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

import pytest

pytestmark = pytest.mark.dynamo

NAN = float("nan")


def differences(eager: dict[str, Any], compiled: dict[str, Any], reordered: bool = False) -> dict[str, str]:
    from compilelint.dynamic.worker.snapshot import first_differences

    return dict(first_differences(eager, compiled, reordered))


def size_of_error(first: Any, second: Any) -> float:
    """What `bench` makes of two values under one name."""
    from compilelint.bench.worker.agreement import _error
    from compilelint.dynamic.worker.snapshot import pairs

    found = list(pairs({"x": first}, {"x": second}))
    return max((math.inf if one.text else _error(one) for one in found), default=0.0)


def tensor(*values: complex, dtype: str = "float32") -> Any:
    import torch

    return torch.tensor(values, dtype=getattr(torch, dtype))


def test_what_is_missing_or_of_another_kind_differs_however_much_is_allowed() -> None:
    eager = {"a": tensor(1.0), "b": "x", "c": tensor(1.0), "d": tensor(1.0)}
    compiled = {"a": tensor(1.0, 2.0), "b": "y", "c": tensor(1.0, dtype="float64"), "e": 1.0}
    assert differences(eager, compiled, reordered=True) == {
        "a": "shape (1,) in eager, (2,) compiled",
        "b": "eager x, compiled y",
        "c": "dtype torch.float32 in eager, torch.float64 compiled",
    }, "the first three"
    assert differences({"d": tensor(1.0)}, {}) == {"d": "eager has it (a tensor of (1,)), compiled has not"}
    assert size_of_error(tensor(1.0), tensor(1.0, 2.0)) == math.inf
    assert size_of_error("x", "y") == math.inf


@pytest.mark.parametrize(
    ("first", "second", "size", "exact", "reordered"),
    [
        pytest.param((1.0, 2.0), (1.0, 2.0), 0.0, True, True, id="equal"),
        pytest.param((1.0, NAN), (1.0, NAN), 0.0, True, True, id="both are no number"),
        pytest.param((1.0, 2.0), (1.0, NAN), math.inf, False, False, id="one is not a number"),
        pytest.param((3.0, 4.0), (3.0, 4.0005), 1e-4, False, True, id="rounded otherwise"),
        pytest.param((3.0, 4.0), (3.0, 4.5), 0.1, False, False, id="another number"),
    ],
)
def test_numbers_are_measured_by_both(
    first: tuple[float, ...], second: tuple[float, ...], size: float, exact: bool, reordered: bool
) -> None:
    one, two = tensor(*first), tensor(*second)
    assert size_of_error(one, two) == pytest.approx(size, rel=0.01)
    assert (differences({"x": one}, {"x": two}) == {}) == exact
    assert (differences({"x": one}, {"x": two}, reordered=True) == {}) == reordered


def test_counts_are_equal_or_not() -> None:
    one, two = tensor(1, 2, dtype="int64"), tensor(1, 3, dtype="int64")
    assert size_of_error(one, one.clone()) == 0.0
    assert size_of_error(one, two) == math.inf
    assert differences({"x": one}, {"x": two}, reordered=True) == {"x": "1 of 2 elements differ, by up to 1"}


def test_complex_numbers_may_be_rounded_too() -> None:
    one, two = tensor(3 + 4j, dtype="complex64"), tensor(3 + 4.00001j, dtype="complex64")
    assert 0 < size_of_error(one, two) < 1e-5


def test_plain_floats_are_measured_and_one_that_is_no_number_is_far_off() -> None:
    assert size_of_error(2.0, 2.0002) == pytest.approx(1e-4)
    assert size_of_error(NAN, NAN) == 0.0
    assert size_of_error(2.0, NAN) == math.inf
    assert differences({"x": 2.0}, {"x": 3.0}) == {"x": "eager 2.0, compiled 3.0"}


class Counter:
    """A scheduler in small: its methods are compiled, its state is in attributes."""

    def __init__(self) -> None:
        self.step_index: object = 3

    def step(self) -> object:
        return self.step_index


class Called(Counter):
    """The same, as something that is called."""

    def __call__(self) -> object:
        return self.step()


@pytest.mark.parametrize(
    ("made", "name"),
    [
        pytest.param(lambda one: lambda: [one.step()], "one.step_index", id="closed over"),
        pytest.param(lambda one: one.step, "self.step_index", id="bound to"),
        pytest.param(lambda one: functools.partial(Counter.step, one), "args[0].step_index", id="given beforehand"),
        pytest.param(lambda one: (lambda step: lambda: [step()])(one.step), "step.self.step_index", id="two deep"),
        pytest.param(lambda one: one, "step_index", id="called itself"),
        pytest.param(lambda one: lambda: [one()], "one.step_index", id="called and closed over"),
    ],
)
def test_the_state_of_a_function_is_what_it_holds(made: Callable[[Any], Any], name: str) -> None:
    from compilelint.dynamic.worker.snapshot import first_differences, state_of

    one, other = Called(), Called()
    other.step_index = tensor(3, dtype="int64")
    found = dict(first_differences(state_of(made(one)), state_of(made(other)), False))
    assert list(found) == [name]  # a number that became a tensor, as callers would see
    assert not list(first_differences(state_of(made(one)), state_of(made(one)), False))


def test_a_function_that_holds_itself_has_an_end() -> None:
    from compilelint.dynamic.worker.snapshot import state_of

    count = 2

    def turn(times: int) -> int:
        return turn(times - 1) if times else count

    assert state_of(turn)["count"] == "2"
