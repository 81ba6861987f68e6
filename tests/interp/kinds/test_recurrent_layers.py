"""Looks at recurrent layers that come from outside. Every program was run under torch 2.13."""

from __future__ import annotations

import pytest

from tests.support.worker_messages import check

NET = """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.cell = nn.GRU(4, 4)
        self.plain = nn.Linear(4, 4)
        self.blocks = nn.ModuleList([nn.LSTM(4, 4), nn.Linear(4, 4)])

    def forward(self, x: Tensor):
        {}
        return x + 1
"""


@pytest.mark.parametrize(
    "body",
    [
        pytest.param("y = isinstance(self.cell, nn.LSTM)  # attribute torch.nn.GRU.__class__", id="its class"),
        pytest.param("y = self.cell is not None  # attribute torch.nn.GRU.is not", id="whether it is there"),
        pytest.param(
            "for one in self.blocks:\n            y = isinstance(one, nn.Linear)"
            "  # attribute torch.nn.LSTM.__class__ likely in for",
            id="among other layers",
        ),
    ],
)
def test_a_look_at_one(body: str) -> None:
    check(NET.format(body))


@pytest.mark.parametrize(
    "body",
    [
        pytest.param("y = isinstance(self.plain, nn.LSTM)", id="another layer"),
        pytest.param("y = self.plain is not None", id="whether another layer is there"),
        pytest.param("y = len(self.blocks)", id="the list"),
        pytest.param("y = isinstance(x, nn.LSTM)", id="a tensor"),
    ],
)
def test_a_look_at_something_else(body: str) -> None:
    check(NET.format(body))
