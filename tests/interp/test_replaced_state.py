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
    ],
)
def test_it_fails_the_guard(constructor: str, body: str, how: str) -> None:
    name = constructor.partition(" ")[0]
    assert (name, how) in changes(constructor, body)


@pytest.mark.parametrize(
    ("constructor", "body"),
    [
        pytest.param("self.act = torch.relu", "x = self.act(x); self.act = torch.relu", id="the same function"),
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
