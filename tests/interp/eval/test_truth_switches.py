"""Switches: flags that a constructor turns off and nothing in the program turns on; what they guard is possible."""

from __future__ import annotations

import pytest

from compilelint.model import Confidence
from tests.support.reveal import run

HEAD = """
class Net(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.checkpointing = False
        self.started = False
        self.causal = True
        self.wide = config.wide

    def start(self):
        self.started = True

    def forward(self, x: Tensor):
        {}
        return x
"""
READ = "x.sum().item()"


def sure(body: str) -> Confidence:
    """How far the one break of a forward is believed."""
    (event,) = [event for event in run(HEAD.format(body)) if event.breaks]
    return event.site.cap


@pytest.mark.parametrize(
    "body",
    [
        f"if self.checkpointing:\n            {READ}",
        f"if self.checkpointing and self.training:\n            {READ}",
        f"if self.wide:\n            pass\n        elif self.checkpointing:\n            {READ}",
        f"if not self.checkpointing:\n            pass\n        else:\n            {READ}",
        f"y = self.checkpointing and {READ}",
    ],
)
def test_behind_a_switch_that_is_off(body: str) -> None:
    assert sure(body) == Confidence.POSSIBLE


@pytest.mark.parametrize(
    "body",
    [
        pytest.param(f"if not self.checkpointing:\n            {READ}", id="off is how it is"),
        pytest.param(f"if self.checkpointing or self.wide:\n            {READ}", id="another way in"),
        pytest.param(f"if self.started:\n            {READ}", id="a method turns it on"),
        pytest.param(f"if self.causal:\n            {READ}", id="on from the start"),
        pytest.param(f"if self.wide:\n            {READ}", id="given by a configuration"),
        pytest.param(f"if self.checkpointing:\n            pass\n        {READ}", id="behind the test"),
    ],
)
def test_elsewhere(body: str) -> None:
    assert sure(body) is Confidence.CERTAIN


@pytest.mark.parametrize(
    "body",
    [
        f'if self.wide != "default":\n            {READ}',
        f'if self.wide.kinds["rope"] != "default" and x.ndim:\n            {READ}',
        f'if self.wide == "default":\n            pass\n        else:\n            {READ}',
        f'y = self.wide.kind != "default" and {READ}',
    ],
)
def test_behind_a_setting_that_is_not_the_default(body: str) -> None:
    assert sure(body) == Confidence.POSSIBLE


@pytest.mark.parametrize(
    "body",
    [
        pytest.param(f'if self.wide == "default":\n            {READ}', id="the default"),
        pytest.param(f'if self.wide != "narrow":\n            {READ}', id="nothing says what is usual"),
        pytest.param(f'kind = x.kind\n        if kind != "default":\n            {READ}', id="a variable"),
    ],
)
def test_behind_a_setting_as_it_is(body: str) -> None:
    assert sure(body) is Confidence.CERTAIN


GUESS = """
def step(x: Tensor, how: str = "mean", bits: int = 8, check: bool = True, debug=False, given: bool = None):
    {}
    return x
"""


def guessed(body: str, more: str = "") -> Confidence:
    """How far the one break of a function is believed that no known code compiles, or that `more` calls."""
    (event,) = [event for event in run(GUESS.format(body) + more) if event.breaks]
    return event.site.cap


@pytest.mark.parametrize(
    "body",
    [
        pytest.param(f"if debug:\n        {READ}", id="off by default"),
        pytest.param(f"if not check:\n        {READ}", id="not on"),
        pytest.param(f"if check:\n        pass\n    else:\n        {READ}", id="the other arm"),
        pytest.param(f"if debug and x.ndim:\n        {READ}", id="one of two"),
        pytest.param(f"y = debug and {READ}", id="an operand"),
    ],
)
def test_behind_a_flag_against_the_default_of_a_function_that_is_a_guess(body: str) -> None:
    """Linted with its callers, the function is what they pass."""
    assert guessed(body) == Confidence.POSSIBLE


@pytest.mark.parametrize(
    "body",
    [
        pytest.param(READ, id="in any case"),
        pytest.param(f"if check:\n        {READ}", id="on by default"),
        pytest.param(f"if not debug:\n        {READ}", id="not off"),
        pytest.param(f"if not check:\n        pass\n    else:\n        {READ}", id="the arm of the default"),
        pytest.param(f"if check and x.ndim:\n        {READ}", id="one of two that are on"),
        pytest.param(f"if not check or x.ndim > 2:\n        {READ}", id="one of two that may come out either way"),
        pytest.param(f"if bits:\n        {READ}", id="a number is no switch"),
        pytest.param(f'if how == "mean":\n        {READ}', id="a text neither"),
        pytest.param(f"check = x.ndim > 1\n    if check:\n        {READ}", id="no longer what was passed"),
        pytest.param(f"if check:\n        x = x + 1\n    {READ}", id="behind the test"),
    ],
)
def test_elsewhere_in_a_guess(body: str) -> None:
    assert guessed(body) is Confidence.CERTAIN


@pytest.mark.parametrize("passed", ["", ", check=True"])
def test_a_function_whose_caller_is_known_is_no_guess(passed: str) -> None:
    caller = f"\n\nclass Net(nn.Module):\n    def forward(self, x: Tensor):\n        return step(x{passed})\n"
    assert guessed(f"if check:\n        {READ}", caller) is Confidence.CERTAIN


ASKED = """
def f(x, y: Tensor):
    {}
    return x.relu() + y
"""


@pytest.mark.parametrize(
    ("test", "expected"),
    [
        pytest.param("if isinstance(x, list):", Confidence.LIKELY, id="a list of what is a tensor at a guess"),
        pytest.param("if isinstance(x, (list, tuple)) and len(x) > 1:", Confidence.LIKELY, id="an operand"),
        pytest.param("if isinstance(x, Tensor):", Confidence.CERTAIN, id="the tensor that it is"),
        pytest.param("if not isinstance(x, list):", Confidence.CERTAIN, id="no list"),
    ],
)
def test_behind_a_question_for_another_type(test: str, expected: Confidence) -> None:
    (event,) = [event for event in run(ASKED.format(f"{test}\n        y.sum().item()")) if event.breaks]
    assert event.site.cap == expected
