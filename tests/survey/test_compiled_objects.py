"""Compiled steps by the names, methods and parameters that they go by; and what is another function."""

from __future__ import annotations

import textwrap

import pytest

from compilelint.events import Around
from tests.support.survey_events import events_of


def around(text: str) -> list[tuple[str, str, str]]:
    """How, of which name, and what, of everything that is reported around compiled calls."""
    events = events_of("from torch.utils.data import DataLoader\n" + textwrap.dedent(text))
    return [(event.how, event.name, event.detail) for event in events if isinstance(event, Around)]


TRAINER = """
class Trainer:
    def __init__(self, model, data):
        self.loader = DataLoader(data, 32)

    {decorator}
    def step(self, x):
        loss = self.model(x).mean()
        loss.backward()
        return loss

    def fit(self):
        for x in self.loader:
            loss = {step}(x)
            self.losses.append(loss.item())
"""


def trainer(decorator: str = "@torch.compile", step: str = "self.step", after: str = "") -> list[tuple[str, str, str]]:
    return around(TRAINER.format(decorator=decorator, step=step) + after)


@pytest.mark.parametrize("decorator", ["@torch.compile", "@torch.compile(mode='reduce-overhead')"])
def test_a_decorated_method_is_a_step_that_trains(decorator: str) -> None:
    assert trainer(decorator) == [("read", "self.step", "loss.item()"), ("uneven", "self.step", "self.loader")]


def test_dynamic_sizes_are_asked_for_by_the_decorator() -> None:
    assert trainer("@torch.compile(dynamic=True)") == [("read", "self.step", "loss.item()")]


@pytest.mark.parametrize(
    ("decorator", "step"),
    [
        pytest.param("@torch.no_grad()", "self.step", id="not compiled"),
        pytest.param("@torch.compile", "self.other", id="another method"),
        pytest.param("@torch.compile", "self.model.step", id="a method of another object"),
        pytest.param("@torch.compile", "step", id="a function of that name"),
    ],
)
def test_calls_of_something_else(decorator: str, step: str) -> None:
    assert trainer(decorator, step) == []


@pytest.mark.parametrize(
    "head",
    [
        pytest.param("def main(model, data):\n    trainer = Trainer(model, data)", id="made here"),
        pytest.param("def main(trainer: Trainer, data):\n    pass", id="annotated"),
        pytest.param("class Mine(Trainer):\n    pass\ndef main(trainer: Mine, data):\n    pass", id="inherited"),
    ],
)
def test_a_method_is_found_through_an_object_whose_class_is_known(head: str) -> None:
    loop = "\n    for x in data:\n        total += trainer.step(x).item()\n"
    assert trainer(step="self.other", after=head + loop) == [("read", "trainer.step", "....item()")]


@pytest.mark.parametrize(
    "head",
    [
        pytest.param("def main(trainer, data):\n    pass", id="class unknown"),
        pytest.param(
            "class Mine(Trainer):\n    def step(self, x):\n        return x\ndef main(trainer: Mine, data):\n    pass",
            id="overridden",
        ),
        pytest.param("def main(trainer: Trainer, data):\n    trainer = data.trainer", id="bound again"),
    ],
)
def test_a_method_of_an_object_that_may_be_another(head: str) -> None:
    loop = "\n    for x in data:\n        total += trainer.step(x).item()\n"
    assert trainer(step="self.other", after=head + loop) == []


def test_a_method_compiled_by_assignment_trains_as_its_body_does() -> None:
    text = """
    class Trainer:
        def __init__(self, data):
            self.loader = DataLoader(data, 32)
            self.step = torch.compile(self._step)

        def _step(self, x):
            self.model(x).mean().backward()

        def fit(self):
            for x in self.loader:
                self.step(x)
    """
    assert around(text) == [("uneven", "self.step", "self.loader")]
    assert around(text.replace(".mean().backward()", ".mean()")) == []


def test_a_decorated_step_that_is_passed_to_a_function() -> None:
    text = """
    @torch.compile
    def step(x):
        return x.sum()

    def train(run, data):
        for x in data:
            total += run(x).item()

    train(step, data)
    """
    assert around(text) == [("read", "run", "....item()")]
    assert around(text.replace("@torch.compile", "@torch.no_grad()")) == []


RATES = """
def main(model, data):
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    schedule = torch.optim.lr_scheduler.LinearLR(optimizer)
    {step}
    for x in data:
        {call}
"""
DECORATED = "@torch.compile\ndef update(opt, x):\n    opt.step()\n"


@pytest.mark.parametrize(
    ("before", "step", "call"),
    [
        pytest.param(DECORATED, "pass", "update(optimizer, x)", id="passed to a decorated function"),
        pytest.param(DECORATED, "pass", "update(x=x, opt=optimizer)", id="passed by name"),
        pytest.param(
            "def update(opt, x):\n    opt.step()\n",
            "fast = torch.compile(update)",
            "fast(optimizer, x)",
            id="passed to what was compiled by assignment",
        ),
        pytest.param(
            "import functools\n",
            "fast = functools.partial(torch.compile, mode='x')(optimizer.step)",
            "fast()",
            id="partial",
        ),
    ],
)
def test_a_rate_that_goes_to_a_compiled_step(before: str, step: str, call: str) -> None:
    assert around(before + RATES.format(step=step, call=call)) == [("rate", "optimizer", "optimizer")]


@pytest.mark.parametrize(
    ("before", "call"),
    [
        pytest.param(DECORATED.replace("@torch.compile\n", ""), "update(optimizer, x)", id="not compiled"),
        pytest.param(DECORATED, "update(other, optimizer)", id="passed for another parameter"),
        pytest.param(DECORATED, "update(*x)", id="unknown arguments"),
        pytest.param(DECORATED.replace("opt.step()", "opt.zero_grad()"), "update(optimizer, x)", id="no step in it"),
    ],
)
def test_a_rate_that_goes_nowhere_compiled(before: str, call: str) -> None:
    assert around(before + RATES.format(step="pass", call=call)) == []


METHODS = """
class Trainer:
    def __init__(self, model):
        self.optimizer = torch.optim.AdamW(model.parameters(), lr={rate})
        self.schedule = torch.optim.lr_scheduler.LinearLR({scheduled})

    @torch.compile
    def step(self, x):
        self.optimizer.step()
"""


def test_a_rate_of_an_attribute_that_a_compiled_method_steps() -> None:
    found = around(METHODS.format(rate="1e-3", scheduled="self.optimizer"))
    assert found == [("rate", "self.optimizer", "self.optimizer")]


@pytest.mark.parametrize(
    ("rate", "scheduled"), [("torch.tensor(1e-3)", "self.optimizer"), ("1e-3", "self.other")], ids=["tensor", "other"]
)
def test_a_rate_of_an_attribute_that_costs_nothing(rate: str, scheduled: str) -> None:
    assert around(METHODS.format(rate=rate, scheduled=scheduled)) == []
