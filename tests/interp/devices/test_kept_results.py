"""Which state keeps a result of a CUDA graph: what a call computes, not what it converts or moves.

Every program here is one that was recorded on an H200 (`benchmarks/cudagraphs/state`).
"""

from __future__ import annotations

import pytest

from compilelint.events import Unrecorded
from compilelint.model import Confidence
from tests.support.reveal import run

NET = """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(8, 8)
        {built}

    @torch.compile(mode="reduce-overhead")
    def forward(self, x):
{body}
"""


def said(built: str, *body: str, how: str = "kept-output") -> list[Confidence]:
    """How surely it is said that state keeps a result."""
    lines = "\n".join(f"        {line}" for line in body)
    events = run(NET.format(built=built, body=lines))
    return [one.sure for one in events if isinstance(one, Unrecorded) and one.how == how]


@pytest.mark.parametrize(
    ("built", "body"),
    [
        ('self.register_buffer("freqs", torch.zeros(8))', ["self.freqs = self.freqs.to(x.device)"]),
        ('self.register_buffer("freqs", torch.zeros(8))', ["self.freqs = self.freqs.to(torch.float)"]),
        ('self.register_buffer("freqs", torch.zeros(8))', ["self.freqs = self.freqs.type_as(x)"]),
    ],
    ids=["moved", "of-a-dtype", "of-another-tensor"],
)
def test_state_that_is_converted_is_itself_or_keeps_a_result(built: str, body: list[str]) -> None:
    assert said(built, *body, "return self.layer(x) * self.freqs") == [Confidence.POSSIBLE]


def test_a_conversion_from_another_kind_of_number_keeps_a_result() -> None:
    built = 'self.register_buffer("freqs", torch.zeros(8, dtype=torch.int64))'
    body = ["self.freqs = self.freqs.to(torch.float)", "return self.layer(x) * self.freqs"]
    assert said(built, *body) == [Confidence.LIKELY]


@pytest.mark.parametrize(
    "body",
    [
        ["self.freqs = self.freqs * 0.9 + x.detach().mean(0)"],
        ["self.freqs = self.freqs.to(x.device) * 2"],
        ["if self.freqs is None:", "    self.freqs = torch.arange(8, device=x.device) * 2"],
    ],
    ids=["average", "moved-and-multiplied", "made-at-first-use"],
)
def test_what_a_call_computes_is_a_result(body: list[str]) -> None:
    built = "self.freqs = None" if "None" in body[0] else 'self.register_buffer("freqs", torch.zeros(8))'
    assert said(built, *body, "return self.layer(x) * self.freqs") == [Confidence.LIKELY]


@pytest.mark.parametrize(
    "value",
    ["torch.from_numpy(table()).float().to(x.device)", "self.layer(x).clone().cpu()"],
    ids=["from-an-array-of-the-host", "to-the-host"],
)
def test_a_copy_between_devices_is_no_result_of_the_graph(value: str) -> None:
    body = ["if self.freqs is None:", f"    self.freqs = {value}", "return self.layer(x) * self.freqs"]
    assert said("self.freqs = None", *body) == []


@pytest.mark.parametrize("moved", [".to(x.device)", ".type_as(x)", ".cuda()"])
def test_a_table_in_a_plain_attribute_is_copied_by_the_first_call(moved: str) -> None:
    body = [f"self.freqs = self.freqs{moved}", "return self.layer(x) * self.freqs"]
    assert said("self.freqs = torch.randn(8)", *body, how="moved-once") == [Confidence.LIKELY]
    assert said("self.freqs = torch.randn(8)", *body) == []
    assert said('self.register_buffer("freqs", torch.randn(8))', *body, how="moved-once") == []
