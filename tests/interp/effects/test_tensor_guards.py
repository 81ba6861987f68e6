"""Kept tensors that come back in another width, with a gradient, or as another's alias (measured on Dynamo)."""

from __future__ import annotations

import pytest

from tests.support.state_changes import changes


@pytest.mark.parametrize(
    ("constructor", "body", "how"),
    [
        pytest.param("self.c = torch.zeros(4)", "x = x + self.c; self.c = x.half()", "reshapes", id="narrower"),
        pytest.param("self.c = torch.empty(0, 4)", "x = x + self.c.sum(0); self.c = x", "reshapes", id="empty, filled"),
        pytest.param("self.c = torch.ones(9)", "x = x * self.c[0]; self.c = self.c[1:]", "reshapes", id="cut"),
        pytest.param(
            "self.lin = nn.Linear(4, 4); self.c = torch.zeros(2, 4)",
            "h = self.lin(x) + self.c; self.c = h",
            "gains-gradient",
            id="the output of a layer",
        ),
        pytest.param(
            "self.c = torch.zeros(4); self.o = torch.ones(4)",
            "x = x + self.c; self.c = self.o",
            "aliases",
            id="an alias",
        ),
    ],
)
def test_it_fails_the_guard(constructor: str, body: str, how: str) -> None:
    assert ("self.c", how) in changes(constructor, body)


@pytest.mark.parametrize(
    ("constructor", "body"),
    [
        pytest.param("self.c = torch.zeros(4).half()", "x = x + self.c; self.c = x.half()", id="as narrow as before"),
        pytest.param(
            "self.lin = nn.Linear(4, 4); self.c = torch.zeros(2, 4)",
            "h = self.lin(x) + self.c; self.c = h.detach()",
            id="detached",
        ),
        pytest.param(
            "self.c = torch.zeros(4); self.o = torch.ones(4)", "x = x + self.c; self.c = self.o.clone()", id="a copy"
        ),
        pytest.param(
            "self.c = torch.zeros(3, 4)", "self.c = torch.cat([self.c[1:], x]); x = x + self.c", id="a rolling window"
        ),
    ],
)
def test_it_passes_the_guard(constructor: str, body: str) -> None:
    assert changes(constructor, body) == []
