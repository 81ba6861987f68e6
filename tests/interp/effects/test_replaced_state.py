"""What takes the place of a kept value: as Dynamo guards types, lengths, identities and tensors (measured)."""

from __future__ import annotations

import pytest

from tests.support.state_changes import changes


@pytest.mark.parametrize(
    ("constructor", "body", "how"),
    [
        pytest.param("self.act = torch.relu", "x = self.act(x); self.act = torch.tanh", "flips", id="a function"),
        pytest.param("self.kind = nn.Identity", "print(self.kind); self.kind = nn.Linear", "flips", id="a class"),
        pytest.param("self.sizes = (1, 2)", "x = x * self.sizes[0]; self.sizes = [1, 2]", "retypes", id="another type"),
        pytest.param("self.part = nn.ReLU()", "x = self.part(x); self.part = nn.Tanh()", "retypes", id="another layer"),
        pytest.param("self.n = torch.tensor(2)", "x = x * self.n; self.n = self.n / 2", "reshapes", id="int to float"),
        pytest.param(
            "self.t = torch.zeros(4)",
            "x = x + self.t; self.t = self.t.unsqueeze(0)",
            "reshapes",
            id="unsqueezed",
        ),
        pytest.param("self.t = torch.zeros(4)", "x = x + self.t; self.t = None", "retypes", id="gone"),
        pytest.param(
            "self.home = torch.device('meta')",
            "x = x if self.home == x.device else x + 1; self.home = torch.device('cpu')",
            "flips",
            id="another device",
        ),
        pytest.param("self.s = slice(0, 1)", "x = x[self.s]; self.s = slice(0, 2)", "flips", id="other bounds"),
        pytest.param(
            "self.act = functools.partial(torch.clamp, min=0)",
            "x = self.act(x); self.act = functools.partial(torch.clamp, min=1)",
            "flips",
            id="another argument bound",
        ),
        pytest.param("self.h = torch.zeros(1, 4)", "self.h = torch.tanh(x + self.h)", "reshapes", id="a row a sample"),
        pytest.param(
            "self.h = torch.zeros(2, dtype=torch.float64)",
            "x = x + self.h.to(x.dtype); self.h = self.h.to(x.dtype)",
            "reshapes",
            id="cast as the argument is",
        ),
    ],
)
def test_it_fails_the_guard(constructor: str, body: str, how: str) -> None:
    name = constructor.partition(" ")[0]
    assert (name, how) in changes(constructor, body)


@pytest.mark.parametrize(
    ("constructor", "body"),
    [
        pytest.param("self.act = torch.relu", "x = self.act(x); self.act = torch.relu", id="the same function"),
        pytest.param("self.s = slice(0, 1)", "x = x[self.s]; self.s = slice(0, 1)", id="the same bounds"),
        pytest.param(
            "self.act = functools.partial(torch.clamp, min=0)",
            "x = self.act(x); self.act = functools.partial(torch.clamp, min=0)",
            id="the same argument bound",
        ),
        pytest.param(
            "self.m = torch.zeros(1, 4)", "self.m = self.m * 0.9 + x.mean(0, keepdim=True)", id="one row, reduced"
        ),
        pytest.param(
            "self.act = torch.relu",
            "kept = self.act; self.act = torch.tanh; x = self.act(x); self.act = kept",
            id="put back",
        ),
        pytest.param("self.n = torch.tensor(8)", "x = x * self.n; self.n = self.n // 2", id="an int stays an int"),
        pytest.param("self.parts = [torch.zeros(4)]", "x = x + self.parts[0]; self.parts = [x]", id="as long"),
        pytest.param("self.n = 3", "self.n = min(3, self.n + 1); x = x * self.n", id="a number at its bound"),
        pytest.param("self.n = 0", "self.n += 1; x = x * self.n; self.n -= 1", id="taken back"),
    ],
)
def test_it_passes_the_guard(constructor: str, body: str) -> None:
    assert changes(constructor, body) == []
