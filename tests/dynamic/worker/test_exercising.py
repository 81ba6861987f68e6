"""Two lists of runs against each other: what counts as a difference."""

from __future__ import annotations

import os
import signal
from functools import partial
from typing import Any

import pytest

pytestmark = pytest.mark.dynamo

NONE: frozenset[str] = frozenset()


def _run(
    error: str = "",
    own: bool = False,
    drawn: str = "a",
    state: dict[str, Any] | None = None,
    said: str = "",
    **found: Any,
) -> dict[str, Any]:
    made = {
        "label": "seed 0, eval",
        "found": found,
        "error": error,
        "own": own,
        "drawn": drawn,
        "said": said,
        "form": {},
        "lenient": False,
    }
    return made if state is None else {**made, "state": state}


def _call(x: Any) -> tuple[tuple[Any, ...], dict[str, Any]]:
    return (x,), {}


def _row(*numbers: float) -> Any:
    import torch

    return torch.tensor(numbers)


def _differs(one: dict[str, Any], other: dict[str, Any], compiled: bool = False) -> str:
    from compilelint.dynamic.worker.exercising import differing

    found = differing([one], [other], NONE, compiled=compiled, reordered=False)
    return f"{found[0]['kind']}: {found[0]['name']}" if found else ""


@pytest.mark.parametrize(
    ("one", "other", "eager", "compiled"),
    [
        pytest.param(_run(), _run(), "", "", id="nothing"),
        pytest.param(
            _run("IndexError: 0"), _run(), "exception: what is raised", "exception: what is raised", id="raised no more"
        ),
        pytest.param(_run("IndexError: 0"), _run("IndexError: 5"), "", "", id="another text of the same class"),
        pytest.param(
            _run("IndexError: 0", own=True),
            _run("IndexError: 5"),
            "exception: the message of what is raised",
            "",
            id="another text, where the user's code raises it",
        ),
        pytest.param(
            _run("IndexError: 0"),
            _run("RuntimeError: 0"),
            "exception: what is raised",
            "exception: what is raised",
            id="another class",
        ),
        pytest.param(
            _run("IndexError: 0"),
            _run("TorchRuntimeError: 0"),
            "exception: what is raised",
            "",
            id="Dynamo's own class, where the cause is the same",
        ),
        pytest.param(
            _run(),
            _run("TorchRuntimeError: 0"),
            "exception: what is raised",
            "exception: what is raised",
            id="Dynamo's own class, where eager raises nothing",
        ),
        pytest.param(
            _run(**{"input[0]": _row(float("nan"), 1.0), "output": _row(1.0, 1.0)}),
            _run(**{"input[0]": _row(float("nan"), 1.0), "output": _row(float("nan"), 1.0)}),
            "output: output",
            "output: output",
            id="a NaN that was given spreads further",
        ),
        pytest.param(
            _run(**{"input[0]": _row(float("nan"), 1.0), "output": _row(1.0, 1.0)}),
            _run(**{"input[0]": _row(float("nan"), 1.0), "output": _row(float("nan"), 2.0)}),
            "output: output",
            "output: output",
            id="another number beside a NaN that was given",
        ),
        pytest.param(_run(said="x"), _run(), "output: what is printed and logged", "", id="what was said is not"),
        pytest.param(_run(drawn="a"), _run(drawn="b"), "state: the number of random draws", "", id="other draws"),
        pytest.param(_run(output=1.0), _run(output="1"), "output: output", "output: output", id="another type"),
        pytest.param(
            _run(state={"self.step": "1"}),
            _run(state={"self.step": "2"}),
            "state: self.step",
            "state: self.step",
            id="another state",
        ),
    ],
)
def test_what_differs(one: dict[str, Any], other: dict[str, Any], eager: str, compiled: str) -> None:
    assert (_differs(one, other), _differs(one, other, compiled=True)) == (eager, compiled)


@pytest.mark.parametrize("kind", ["output", "gradient of w", "state"])
def test_nan_stands_in_the_same_places_whatever_its_sign(kind: str) -> None:
    import torch

    def run(value: torch.Tensor) -> dict[str, Any]:
        return _run(state={"self.w": value}) if kind == "state" else _run(**{kind: value})

    usual = torch.tensor([1.0, float("nan"), 2.0])
    negative = usual.clone()
    negative.view(torch.int32)[1] ^= -(2**31)
    elsewhere = torch.tensor([float("nan"), 1.0, 2.0])
    assert torch.equal((usual + negative).signbit(), (negative + usual).signbit()) is False, "torch's own are of chance"
    assert _differs(run(usual), run(negative)) == ""
    for other in (elsewhere, usual.nan_to_num(), torch.full((3,), float("nan"))):
        for compiled in (False, True):
            assert _differs(run(usual), run(other), compiled) != ""


@pytest.mark.parametrize(
    ("name", "one", "other", "equal"),
    [
        pytest.param("gradient of w", "inf", "nan", True, id="terms that overflow, in another order"),
        pytest.param("gradient of w", "inf", "-inf", True, id="the other infinity, in another order"),
        pytest.param("gradient of w", "inf", "1", False, id="finite in the copy alone"),
        pytest.param("gradient of w", "1", "nan", False, id="finite in the original alone"),
        pytest.param("output", "inf", "nan", False, id="a result, which callers use"),
    ],
)
def test_gradients_that_are_finite_in_neither_are_no_difference(name: str, one: str, other: str, equal: bool) -> None:
    import torch

    first, second = torch.tensor([float(one), 2.0]), torch.tensor([float(other), 2.0])
    assert (_differs(_run(**{name: first}), _run(**{name: second})) == "") is equal
    assert _differs(_run(**{name: first}), _run(**{name: second + torch.tensor([0.0, 1.0])})) != "", "beside it"


def test_half_of_a_complex_number_may_be_nan() -> None:
    import torch

    one, other = torch.tensor([complex(float("nan"), 1)]), torch.tensor([complex(1, float("nan"))])
    assert _differs(_run(output=one), _run(output=one.clone())) == ""
    assert _differs(_run(output=one), _run(output=other)) == "output: output"


def test_the_message_is_the_users_own_where_a_raise_of_the_user_gives_it() -> None:
    import torch

    from compilelint.dynamic.worker.exercises import Exercise
    from compilelint.dynamic.worker.exercising import exercised

    def raising(x: torch.Tensor) -> torch.Tensor:
        if x.sum() > 0:
            raise ValueError("positive")
        assert x.sum() < 0, "zero"
        return x.view(-1, 7)

    calls = {"raise": torch.ones(2), "assert": torch.zeros(2), "torch": -torch.ones(2)}
    exercises = [Exercise(name, partial(_call, x), 0, False) for name, x in calls.items()]
    found = exercised(raising, raising, exercises)
    assert [(one["label"], one["own"]) for one in found] == [("raise", True), ("assert", True), ("torch", False)]


@pytest.mark.parametrize(
    ("name", "gradient", "words"),
    [
        pytest.param("gradient of input 0", (0.0, 0.0), "", id="zeros for an input"),
        pytest.param("gradient of input 0", (0.0, 1.0), "compiled has it", id="more than zeros for an input"),
        pytest.param("gradient of w", (0.0, 0.0), "none became zeros", id="zeros for a weight"),
        pytest.param("gradient of w", (1.0, 0.0), "compiled has it", id="more than zeros for a weight"),
        pytest.param("output", (0.0, 0.0), "compiled has it", id="no gradient"),
    ],
)
def test_a_gradient_of_zeros_where_there_was_none(name: str, gradient: tuple[float, ...], words: str) -> None:
    from compilelint.dynamic.worker.exercising import differing

    found = differing([_run()], [_run(**{name: _row(*gradient)})], NONE, compiled=False, reordered=False)
    assert [one["text"].startswith(words) for one in found] == [True] * bool(words)
    lost = differing([_run(**{name: _row(*gradient)})], [_run()], NONE, compiled=False, reordered=False)
    assert "compiled has not" in lost[0]["text"]


def test_a_pretended_device_refuses_as_torch_does() -> None:
    import torch

    from compilelint.dynamic.worker.conditions import conditions, setting_of
    from compilelint.dynamic.worker.exercises import Exercise
    from compilelint.dynamic.worker.exercising import exercised

    table, call = torch.ones(2), _call(torch.ones(2))

    def mixing(x: torch.Tensor) -> torch.Tensor:
        return x + table

    found = dict(conditions(mixing, mixing, call, setting_of(mixing, mixing, call)))
    condition = found["on another device"]
    assert condition.change is not None
    ran = exercised(mixing, mixing, [Exercise("", partial(condition.change, call), 0, False, condition=condition)])
    assert ran[0]["error"].startswith("RuntimeError: Expected all tensors")
    assert not ran[0]["own"]


@pytest.mark.parametrize(("varies", "lenient"), [("sizes", True), ("", False)])
def test_what_torch_refuses_of_a_size_that_no_caller_gave_asks_nothing_of_a_copy(varies: str, lenient: bool) -> None:
    import torch

    from compilelint.dynamic.worker.exercises import Exercise
    from compilelint.dynamic.worker.exercising import exercised

    exercise = Exercise("", partial(_call, torch.ones(0)), 0, False, varies=varies)
    refused, taken = exercised(torch.max, torch.max, [exercise]), exercised(torch.neg, torch.neg, [exercise])
    assert (_differs(refused[0], taken[0]) == "") is lenient
    assert _differs(taken[0], refused[0]) != ""


def test_what_is_not_shared_has_its_turn_when_time_is_short(monkeypatch: pytest.MonkeyPatch) -> None:
    import torch

    from compilelint.dynamic.worker import exercising
    from compilelint.dynamic.worker.exercises import Exercise

    clock = iter(range(100))
    monkeypatch.setattr("time.monotonic", lambda: float(next(clock)))
    exercises = [Exercise(str(n), partial(_call, torch.ones(1)), 0, False, shared=n < 6) for n in range(9)]
    found = exercising.exercised(torch.neg, torch.neg, exercises, 7.0)
    assert [one["label"] for one in found] == ["0", "1", "2", "3", "6"]
    assert ["state" in one for one in found] == [False, False, False, True, True]


def test_a_number_out_of_range_that_ends_the_process_is_no_exercise() -> None:
    from compilelint.dynamic.worker.exercises import Exercise
    from compilelint.dynamic.worker.exercising import exercised

    def read(x: Any) -> Any:
        if x.min() < 0:
            os.kill(os.getpid(), signal.SIGKILL)
        if x.max() > 5:
            raise IndexError("no such row")
        return x + 1

    found = [
        Exercise(f"from {first}", partial(_call, _row(first, 1)), 0, False, shared=False, risky=first != 0)
        for first in (0, -1, 9, 2)
    ]
    runs = exercised(read, read, found, wary=True)
    assert [one["label"] for one in runs] == ["from 0", "from 9", "from 2"]
    assert [one["error"] for one in runs] == ["", "IndexError: no such row", ""]


@pytest.mark.parametrize(
    ("wrong", "differs"),
    [
        pytest.param("", "", id="the same"),
        pytest.param("without the layer", "state: self.seen", id="written without what is hooked"),
        pytest.param("not written", "state: self.seen", id="no longer written"),
        pytest.param("another written", "state: self.other", id="written beside it"),
    ],
)
def test_state_is_compared_under_each_condition_that_changes_the_target(wrong: str, differs: str) -> None:
    import torch

    from compilelint.dynamic.worker.conditions import Condition, _hooked
    from compilelint.dynamic.worker.exercises import Exercise
    from compilelint.dynamic.worker.exercising import exercised

    class Net(torch.nn.Module):  # type: ignore[misc]
        def __init__(self, wrong: str) -> None:
            super().__init__()
            self.layer = torch.nn.Linear(2, 2)
            self.wrong = wrong
            self.register_buffer("seen", torch.zeros(2))
            self.register_buffer("other", torch.zeros(2))
            torch.nn.init.ones_(self.layer.weight)

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            y = (
                self.layer(x)
                if self.wrong != "without the layer"
                else torch.addmm(self.layer.bias, x, self.layer.weight)
            )
            if self.wrong != "not written":
                self.seen.copy_(y[0].detach())
            if self.wrong == "another written":
                self.other.add_(1)
            return x

    def run(wrong: str) -> dict[str, Any]:
        torch.manual_seed(0)
        net = Net(wrong)
        condition = Condition("hooks", alter=_hooked)
        made = exercised(
            net, net, [Exercise("", lambda: _call(torch.ones(1, 2)), 0, False, condition=condition)], forks=False
        )
        del made[0]["state"]  # that of the target, which is left as it was
        return made[0]

    assert _differs(run(""), run(wrong)) == differs
