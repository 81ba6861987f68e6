"""`train()` and `eval()` in the region: the flag that a layer looked at is guarded (measured on Dynamo)."""

from __future__ import annotations

import pytest

from tests.support.state_changes import changes


@pytest.mark.parametrize(
    "body",
    [
        pytest.param("x = self.drop(x); self.drop.eval()", id="after the call"),
        pytest.param("x = self.drop(x); self.drop.training = False", id="the flag itself"),
        pytest.param("x = self.drop(x); self.drop.train(not self.drop.training)", id="toggled"),
    ],
)
def test_a_layer_that_was_called_in_training_is_switched(body: str) -> None:
    assert changes("self.drop = nn.Dropout()", body) == [("self.drop.training", "flips")]


@pytest.mark.parametrize(
    ("constructor", "body"),
    [
        pytest.param("self.drop = nn.Dropout()", "self.drop.eval(); x = self.drop(x)", id="before the call"),
        pytest.param("self.drop = nn.Dropout()", "x = self.drop(x); self.drop.train()", id="in training already"),
        pytest.param("self.drop = nn.Dropout().eval()", "x = self.drop(x); self.drop.eval()", id="made for evaluation"),
        pytest.param("self.drop = nn.Dropout()", "x = self.drop(x); self.drop.eval(); self.drop.train()", id="back"),
        pytest.param("self.lin = nn.Linear(4, 4)", "x = self.lin(x); self.lin.eval()", id="a layer that never asks"),
    ],
)
def test_nothing_changes(constructor: str, body: str) -> None:
    assert changes(constructor, body) == []
