"""State that the first step of an optimizer fills. Measured on torch 2.13: the second step compiles again."""

from __future__ import annotations

import pytest

from compilelint.events import StateChange
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
    ],
)
def test_what_the_first_step_fills(test: str, fill: str) -> None:
    assert changes(test, fill) == [("self.state", "fills", True)]


def test_a_step_that_python_runs_compiles_nothing_twice() -> None:
    assert changes("len(state) == 0", line="n = p.norm().item()") == []


@pytest.mark.parametrize(
    ("test", "fill"),
    [
        pytest.param("len(group) == 0", "state", id="of a group"),
        pytest.param("len(state) == 2", "state", id="another length"),
    ],
)
def test_other_tests(test: str, fill: str) -> None:
    assert changes(test, fill) == []


def test_a_class_that_is_no_optimizer() -> None:
    assert changes("len(state) == 0", base="lr_scheduler.LRScheduler") == []
