"""What a finding is said to cost: measured prices only, by what ends or delays the step."""

from __future__ import annotations

import pytest

from compilelint.checks import rulebook
from compilelint.model import Confidence, Effect, Finding, Location, Rule, Span
from compilelint.report.layout.cost import Cost, cost_data, cost_of
from compilelint.torchfacts import load
from compilelint.torchfacts.costs import Cause, Setting, step_price
from tests.support.reveal import run


def finding(code: str, *effects: Effect) -> Finding:
    rule = Rule(code, "a-rule", "a rule", effects[0])
    return Finding(rule, "found", effects, Confidence.CERTAIN, Location("a.py", Span(1, 1, 1, 2)))


def cost(code: str, *effects: Effect, recording: bool = False) -> Cost:
    found = cost_of(finding(code, *effects), recording)
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("code", "effects", "rows"),
    [
        pytest.param("CL101", [Effect.GRAPH_BREAK], ("branch/train/default", "branch/infer/default"), id="waits"),
        pytest.param("CL205", [Effect.GRAPH_BREAK], ("break/train/default", "break/infer/default"), id="reads nothing"),
        pytest.param("CL302", [Effect.SYNC], ("copy/train/default", "copy/infer/default"), id="copy"),
        pytest.param("CL830", [Effect.SYNC], ("read/train/default", "read/infer/default"), id="host read"),
        pytest.param(
            "CL823",
            [Effect.CUDAGRAPH],
            ("split/train/reduce-overhead", "split/infer/reduce-overhead"),
            id="a line between graphs",
        ),
        pytest.param("CL826", [Effect.CUDAGRAPH], ("pending/infer/reduce-overhead",), id="slow path"),
        pytest.param(
            "CL820",
            [Effect.CUDAGRAPH],
            ("graphs/train/reduce-overhead", "graphs/infer/reduce-overhead"),
            id="no graph at all",
        ),
        pytest.param("CL701", [Effect.RECOMPILE], ("recompile", "recompile-infer"), id="recompile"),
    ],
)
def test_the_cause_decides_which_prices_count(code: str, effects: list[Effect], rows: tuple[str, ...]) -> None:
    found = cost(code, *effects)
    assert found.rows == rows
    assert 0 <= found.low <= found.high


@pytest.mark.parametrize(
    ("line", "row"),
    [
        pytest.param("x * self.scale", "scalar/infer/reduce-overhead", id="a number is copied"),
        pytest.param("torch.cond(x.sum() > 0, torch.sin, torch.cos, (x,))", "split/train/reduce-overhead", id="split"),
    ],
)
def test_a_number_that_is_copied_has_a_price_of_its_own(line: str, row: str) -> None:
    text = f"""
import torch
from torch import nn
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = torch.tensor(2.0)
    def forward(self, x):
        return {line}
step = torch.compile(Net().cuda(), mode="reduce-overhead")
step(torch.ones(2, device="cuda"))
"""
    (one,) = [
        one
        for event in run(text, ("explicit",))
        for one in rulebook().findings_for(event, load("2.11"))
        if one.rule.code == "CL823"
    ]
    price = cost_of(one)
    assert price is not None
    assert price.rows[0] == row


def test_a_range_spans_the_measured_models_of_all_settings() -> None:
    train, infer = (step_price(Cause.BREAK, setting) for setting in (Setting.TRAIN, Setting.INFER))
    assert train is not None
    assert infer is not None
    found = cost("CL205", Effect.GRAPH_BREAK)
    assert found.high == max(train.high, infer.high)
    assert found.low == max(0.0, min(train.low, infer.low))


def test_under_cuda_graphs_the_prices_are_those_of_recorded_steps() -> None:
    assert all(row.endswith("/reduce-overhead") for row in cost("CL101", Effect.GRAPH_BREAK, recording=True).rows)


@pytest.mark.parametrize(
    ("code", "effects"),
    [
        pytest.param("CL101", [Effect.GRAPH_BREAK, Effect.ERROR], id="raises: not slow"),
        pytest.param("CL512", [Effect.WRONG_RESULT], id="wrong: not slow"),
        pytest.param("CL814", [Effect.SLOW], id="not measured"),
        pytest.param("CL901", [Effect.TOOL], id="of the tool"),
    ],
)
def test_what_was_not_measured_has_no_cost(code: str, effects: list[Effect]) -> None:
    assert cost_of(finding(code, *effects)) is None
    assert cost_data(None) is None


def test_words_name_the_unit_and_what_the_number_assumes() -> None:
    assert cost("CL701", Effect.RECOMPILE).words.endswith(
        "s for each compilation (graphs of 10 to 150 operations on one H200)"
    )
    assert "s for each further size (" in cost("CL822", Effect.CUDAGRAPH).words
    words = cost("CL302", Effect.SYNC).words
    assert " ms a step (medians: training " in words
    assert words.endswith("four models on one H200)")
