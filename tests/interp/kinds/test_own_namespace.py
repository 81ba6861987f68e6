"""Attributes that are reached through `__dict__` and `vars` (run on 2.13 and 2.15: `benchmarks/recompiles/fresh`)."""

from __future__ import annotations

import pytest

from compilelint.interp.kinds.own_namespace import holder
from compilelint.syntax import ir
from tests.support.reveal import check
from tests.support.state_changes import changes


@pytest.mark.parametrize(
    ("body", "found"),
    [
        pytest.param('self.__dict__["n"] += 1; y = x * self.n', [("self.n", "counts")], id="counts"),
        pytest.param('vars(self)["n"] += 1; y = x * self.n', [("self.n", "counts")], id="by vars"),
        pytest.param('y = x * self.n; self.__dict__["n"] = self.n + 2', [("self.n", "counts")], id="follows"),
        pytest.param('self.__dict__["n"] = x.shape[0]; y = x * self.n', [], id="written first"),
        pytest.param('y = x * self.__dict__["n"]', [], id="read"),
    ],
)
def test_state_behind_the_namespace(body: str, found: list[tuple[str, str]]) -> None:
    assert changes("self.n = 0", body) == found


def test_what_is_read_is_the_attribute() -> None:
    check("""
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.width = torch.zeros(3)

            def forward(self, x: Tensor):
                reveal_type(self.__dict__["width"])  # tensor float 1-d input
    """)


def test_other_subscripts_have_no_holder() -> None:
    name = ir.Name(0, "self")
    assert holder(ir.Attr(0, name, "__dict__")) is name
    assert holder(ir.Attr(0, name, "table")) is None
    assert holder(ir.Call(0, ir.Name(0, "dict"), (name,), ())) is None
