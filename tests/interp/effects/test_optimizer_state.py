"""State that the first step of an optimizer fills. Measured on torch 2.13: the second step compiles again."""

from __future__ import annotations

import pytest

from compilelint.events import Dropped, StateChange
from compilelint.model import Confidence
from tests.support.reveal import run

STEP = """
class Own(torch.optim.{base}):
    def step(self, closure=None):
        for group in self.param_groups:
            for p in group["params"]:
                grad, state = p.grad, self.state[p]
                if {test}:
                    {fill}["mean"] = torch.zeros_like(p)
                {line}
"""


def changes(test: str, fill: str = "state", line: str = "pass", base: str = "Optimizer") -> list[tuple[str, str, bool]]:
    found = [
        one for one in run(STEP.format(base=base, test=test, fill=fill, line=line)) if isinstance(one, StateChange)
    ]
    return [(one.name, one.how, one.sure >= Confidence.LIKELY) for one in found]


@pytest.mark.parametrize(
    ("test", "fill"),
    [
        pytest.param("len(state) == 0", "state", id="asked for its length"),
        pytest.param("not state", "state", id="asked whether it is empty"),
        pytest.param('"mean" not in state', "state", id="asked for a key"),
        pytest.param('"mean" not in self.state[p]', "self.state[p]", id="without a variable"),
        pytest.param('p not in self.state or "mean" not in state', "state", id="asked for the parameter as well"),
        pytest.param("state.get('mean') is None", "state", id="got"),
    ],
)
def test_what_the_first_step_fills(test: str, fill: str) -> None:
    assert changes(test, fill) == [("self.state", "fills", True)]


def test_a_step_that_python_runs_compiles_nothing_twice() -> None:
    assert changes("len(state) == 0", line="n = p.norm().item()") == []


def test_a_break_behind_a_test_may_not_be_met() -> None:
    line = 'if group["half"]: n = p.norm().item()'
    assert changes("len(state) == 0", line=line) == [("self.state", "fills", True)]


@pytest.mark.parametrize(
    ("test", "fill"),
    [
        pytest.param("len(group) == 0", "group", id="of a group"),
        pytest.param("len(state) == 2", "other", id="another mapping"),
    ],
)
def test_other_tests(test: str, fill: str) -> None:
    assert changes(test, fill) == []


def test_state_that_the_constructor_fills() -> None:
    filled = """
    def __init__(self, params):
        super().__init__(params, {})
        for group in self.param_groups:
            for p in group["params"]:
                self.state[p]["mean"] = torch.zeros_like(p)
    """
    step = STEP.format(base="Optimizer", test='"mean" not in state', fill="state", line="pass")
    assert [one for one in run(step + filled) if isinstance(one, StateChange)] == []


def test_a_class_that_is_no_optimizer() -> None:
    assert changes("len(state) == 0", base="lr_scheduler.LRScheduler") == []


BODY = """
class Own(torch.optim.Optimizer):
    def __init__(self, params):
        super().__init__(params, {{"lr": 0.1, "step": 0, "on": False}})
        self.count, self.kept, self.rate, self.table = 0, None, 0.5, {{}}

    def _update(self, p, state):
        if "mean" not in state:
            state["mean"] = torch.zeros_like(p)

    {decorator}
    def step(self):
        for group in self.param_groups:
            for p in group["params"]:
                p.add_(p.grad)
            {line}
"""


def of_body(line: str, decorator: str = "@torch.no_grad()") -> list[tuple[str, str]]:
    found = run(BODY.format(line=line, decorator=decorator), roots=("all",))
    return [(one.name, one.how) for one in found if isinstance(one, (StateChange, Dropped))]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        pytest.param('group["step"] += 1', [("self.param_groups[0]['step']", "varies")], id="a group counts"),
        pytest.param(
            'if not group["on"]: group["on"] = True',
            [("self.param_groups[0]['on']", "flips")],
            id="a group",
        ),
        pytest.param('group["on"] = True', [], id="what nothing reads"),
        pytest.param("self._update(p, self.state[p])", [("self.state", "fills")], id="state that a helper fills"),
        pytest.param("self._update(p, group)", [], id="a helper that is given something else"),
        pytest.param(
            'self.state[p].setdefault("mean", torch.zeros_like(p))', [("self.state", "fills")], id="setdefault"
        ),
        pytest.param("self.kept = p", [("self.kept", "optimizer-attribute")], id="an attribute is lost"),
        pytest.param("self.rate *= 2", [("self.rate", "optimizer-attribute")], id="a float, read and lost"),
        pytest.param("self.count += 1", [("self.count", "optimizer-attribute")], id="an int behind a decorator"),
        pytest.param("self.kept = p; n = p.norm().item()", [], id="a step that Python runs keeps it"),
        pytest.param('self.table["last"] = p', [("self.table", "fills")], id="a table is kept"),
    ],
)
def test_what_a_step_leaves(line: str, expected: list[tuple[str, str]]) -> None:
    assert of_body(line) == expected


def test_a_frame_that_reads_an_int_of_an_optimizer_is_not_compiled() -> None:
    assert of_body("self.count += 1", decorator="") == []
