"""State that calls fill only now and then."""

from __future__ import annotations

from compilelint.events import DynamoConfig, Unrecorded
from compilelint.model import Confidence
from tests.support.reveal import run


def kept(text: str) -> list[Confidence]:
    """How sure it is that state keeps a result of the graph."""
    found = run({"app.py": text}, ("auto",), DynamoConfig(mode="reduce-overhead"))
    return [min(one.sure, one.site.cap) for one in found if isinstance(one, Unrecorded) and one.how == "kept-output"]


TABLE = """
class M(nn.Module):
    def __init__(self):
        super().__init__()
        self.table = None
        {init}

    def fill(self, x: Tensor):
        if self.table is None or self.table.size(0) < x.size(0):
            self.table = torch.arange(x.size(0), device=x.device) * 2.0

    def forward(self, x: Tensor):
        self.fill(x)
        return x + self.table[: x.size(0)]
"""


def test_a_table_that_the_first_call_makes() -> None:
    assert kept(TABLE.format(init="self.n = 1")) == [Confidence.LIKELY]


def test_a_table_that_the_constructor_makes_by_the_same_method() -> None:
    assert kept(TABLE.format(init="self.fill(torch.zeros(512))")) == [Confidence.POSSIBLE]


ROWS = "def f(rows: dict[str, Tensor]):\n    rows['a'] = rows['a'] * 2\n    return {returned}\nm = torch.compile(f)\n"


def test_a_dict_that_is_all_that_comes_back() -> None:
    assert kept(ROWS.format(returned="rows")) == [Confidence.POSSIBLE]


def test_a_cache_beside_the_result() -> None:
    assert kept(ROWS.format(returned="rows['a'] + 1, rows")) == [Confidence.LIKELY]
