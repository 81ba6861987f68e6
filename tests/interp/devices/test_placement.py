"""Moves, views and writes as they are reported to the checks: what each is, of what, and how sure."""

from __future__ import annotations

import pytest

from compilelint.events import Placed
from compilelint.interp.core.args import Args
from compilelint.interp.devices import placement
from compilelint.model import Confidence
from compilelint.values import External, Origin, OriginKind, Tensor
from tests.support.reveal import run

CERTAIN, LIKELY, POSSIBLE = Confidence.CERTAIN, Confidence.LIKELY, Confidence.POSSIBLE
HEAD = """
class M(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 4)
        self.plain = torch.arange(4.0)
        self.register_buffer("held", torch.arange(4.0))

    def forward(self, x: Tensor, k: int, other: Tensor):
        h = self.layer(x)
        {}
        return h
"""


def placed(*lines: str, head: str = HEAD, roots: tuple[str, ...] = ("auto",)) -> list[tuple[str, str, str, Confidence]]:
    """How, by which operation, with what detail, and how sure."""
    found = [event for event in run(head.format("\n        ".join(lines)), roots) if isinstance(event, Placed)]
    return [(event.how, event.name, event.detail, event.sure) for event in found]


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("h.cpu()", ("to-host", ".cpu()", "", LIKELY)),
        ("h.to('cpu')", ("to-host", ".to()", "", LIKELY)),
        ("h.to('cpu:0')", ("to-host", ".to()", "", LIKELY)),
        ("h.to(torch.device('cpu'))", ("to-host", ".to()", "", LIKELY)),
        ("h.to(device='cpu')", ("to-host", ".to()", "", LIKELY)),
        ("x.cpu()", ("to-host", ".cpu()", "", POSSIBLE)),
        ("h.to('cpu', non_blocking=True)", ("async-host", ".to()", "", LIKELY)),
        ("h.to('cpu', non_blocking=False)", ("to-host", ".to()", "", LIKELY)),
        ("torch.ones(4).to(x.device)", ("host-built", ".to()", "ones", POSSIBLE)),
        ("torch.randn(4).to(x.device)", ("host-random", ".to()", "randn", LIKELY)),
        ("torch.ones(4).cuda()", ("host-built", ".cuda()", "ones", POSSIBLE)),
        ("torch.ones(4).type_as(h)", ("host-built", ".type_as()", "ones", POSSIBLE)),
        ("h.cuda()", ("literal", "cuda", "cuda", LIKELY)),
        ("h.to('cuda:1')", ("literal", "to", "cuda", LIKELY)),
        ("torch.ones(4, device='cuda')", ("literal", "ones", "cuda", LIKELY)),
        ("h + torch.ones(4)", ("mismatch", "+", "result of `torch.ones`", LIKELY)),
        ("torch.tensor([h.sum(), h.max()])", ("read-into-tensor", "tensor", "2", LIKELY)),
        ("self.layer.to('cpu')", ("module-to-host", ".to()", "cpu", LIKELY)),
        ("self.layer.cuda()", ("module-moved", ".cuda()", "cuda", LIKELY)),
        ("h.float().half()", ("dtype-round-trip", ".half()", ".float", POSSIBLE)),
        ("h.float().to(torch.bfloat16)", ("dtype-round-trip", ".to()", ".float", POSSIBLE)),
        ("y = h.to(memory_format=torch.channels_last)", ("memory-format", ".to()", "torch.channels_last", POSSIBLE)),
        (
            "y = h.contiguous(memory_format=torch.channels_last)",
            ("memory-format", ".contiguous()", "torch.channels_last", POSSIBLE),
        ),
        ("h.data.mul_(2)", ("data", ".mul_()", "", LIKELY)),
    ],
)
def test_what_is_reported(line: str, found: tuple[str, str, str, Confidence]) -> None:
    reported = placed(line)
    if found[0] == "mismatch":
        assert [one[0] for one in reported] == ["mismatch"]
    else:
        assert reported == [found]


@pytest.mark.parametrize(
    "line",
    [
        pytest.param("x.to(h.device)", id="to where it is computed"),
        pytest.param("x.to(torch.float16)", id="another dtype"),
        pytest.param("torch.ones(4).cpu()", id="to the host, where it is"),
        pytest.param("self.held.to(x.device)", id="a buffer moves with its module"),
        pytest.param("h + 1", id="a number"),
        pytest.param("h + torch.tensor(1.0)", id="a tensor of no dimension may lie elsewhere"),
        pytest.param("h + torch.ones(4, device=x.device)", id="made where it is needed"),
        pytest.param("torch.tensor([1.0, 2.0])", id="numbers into a tensor"),
        pytest.param("h.float()", id="widened alone"),
        pytest.param("h.float().exp().half()", id="computed in between"),
        pytest.param("h.to(memory_format=torch.contiguous_format)", id="the usual format"),
        pytest.param("h.add_(1)", id="written in place"),
        pytest.param("h.contiguous()", id="contiguous"),
    ],
)
def test_what_costs_nothing(line: str) -> None:
    assert placed(line) == []


def test_a_move_behind_a_test_is_possible() -> None:
    assert [sure for *_, sure in placed("if k > 1:", "    h.cpu()")] == [POSSIBLE]
    assert [sure for *_, sure in placed("for _ in range(k):", "    h.cpu()")] == [LIKELY]


def test_in_a_function_that_is_started_as_a_guess_a_move_is_possible() -> None:
    guess = "def f(x: Tensor, k: int, other: Tensor):\n        h = torch.relu(x)\n        {}\n        return h\n"
    assert [sure for *_, sure in placed("h.cpu()", head=guess)] == [POSSIBLE]
    assert [sure for *_, sure in placed("h.cpu()", head=f"@torch.compile\n{guess}")] == [LIKELY]


def test_what_comes_back_from_the_host_is_a_round_trip() -> None:
    found = placed("y = h.cpu()", "y = y.to(x.device)")
    assert [how for how, *_ in found] == ["to-host", "round-trip"]
    assert [how for how, *_ in placed("y = self.plain.to(x.device)")] == ["host-kept"]


@pytest.mark.parametrize(
    ("lines", "how"),
    [
        pytest.param(("h.expand(3, 4).add_(1)",), "expanded", id="expanded, in place"),
        pytest.param(("r = h.expand(3, 4)", "r[0] = 1"), "expanded-item", id="one row of it"),
        pytest.param(("h.expand(3, 4).fill_(1)",), "", id="filled with one value"),
        pytest.param(("h.expand(3, 4).clone().add_(1)",), "", id="a copy"),
        pytest.param(("a, b = h.chunk(2)", "a += b"), "multi-view", id="one of several views"),
        pytest.param(("a, b = h.argmax(0).chunk(2)", "a += b"), "", id="of integers, which have no gradient"),
        pytest.param(("torch.zeros(2, 3).t().view(-1)",), "view", id="a view of what was transposed"),
        pytest.param(("torch.zeros(2, 3).t().reshape(-1)",), "", id="reshape copies"),
        pytest.param(("torch.matmul(h.transpose(0, 1).contiguous(), x)",), "contiguous", id="a copy for a product"),
        pytest.param(("torch.matmul(h.contiguous(), x)",), "", id="not transposed"),
        pytest.param(("torch.add(h, 1, out=torch.empty(0))",), "out-empty", id="out= of nothing"),
        pytest.param(
            ("torch.sort(h, out=(torch.empty(0), torch.empty(0).long()))",), "out-empty", id="out= of two, one nothing"
        ),
        pytest.param(("torch.add(h, 1, out=torch.zeros(2, 3).t())",), "out", id="out= of what was transposed"),
    ],
)
def test_layouts(lines: tuple[str, ...], how: str) -> None:
    assert [found for found, *_ in placed(*lines)] == ([how] if how else [])


def test_a_tensor_widened_elsewhere_is_no_round_trip(monkeypatch: pytest.MonkeyPatch) -> None:
    """`.float()` of a value of which nothing is known: nothing says that it was narrow before."""
    reported: list[object] = []
    monkeypatch.setattr(placement, "_emit", lambda *event: reported.append(event[1]))
    narrow = Args([External("torch.bfloat16")], {})
    for before in (None, Origin("x", kind=OriginKind.ARGUMENT)):
        widened = Tensor(origin=Origin(".float", parent=before, kind=OriginKind.RESULT))
        placement._converted_back(None, widened, "to", narrow, 0)  # type: ignore[arg-type]
        assert reported == ([] if before is None else ["dtype-round-trip"])


OTHER = """
import torch
from torch import Tensor, nn


class Scale(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x: Tensor):
        a, b = x.split(2)
        a.mul_(2)
        x.data.mul_(2)
        return x

    @staticmethod
    def backward(ctx, g: Tensor):
        a, b = torch.empty_like(g).chunk(2)
        a.copy_(g)
        return g


def merge(weight: Tensor, delta: Tensor):
    weight.data += delta


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 4)

    def to(self, *args):
        self.layer.to(*args)
        return super().to(*args)

    def forward(self, x: Tensor):
        {}
"""


@pytest.mark.parametrize(
    ("body", "how"),
    [
        pytest.param("return Scale.apply(x)", [], id="no gradient in the methods of a function"),
        pytest.param("return merge(self.layer(x), x)", ["data"], id="what a layer gave, in a helper"),
        pytest.param("a, b = self.layer(x).split(2); a.mul_(2); return a", ["multi-view"], id="what a layer gave"),
        pytest.param("a, b = torch.empty(4).split(2); a.mul_(2); return a", [], id="new memory"),
        pytest.param(
            "a, b = self.layer(x).split(2)\n        with torch.no_grad():\n            a.mul_(2)\n        return a",
            ["multi-view"],
            id="views made with gradients",
        ),
        pytest.param("h = self.layer(x).long(); h.data.add_(1); return h", [], id="integers"),
        pytest.param("return self.to('cuda').layer(x)", [], id="inside the method that is there to move"),
        pytest.param("x.contiguous(memory_format=torch.channels_last); return x", [], id="a copy that nothing uses"),
        pytest.param("h = self.layer(x).cpu(); return h + torch.ones(4)", ["to-host"], id="both on the host"),
        pytest.param(
            "d = x.device if x.sum() > 0 else self.layer.device; return self.layer(x) + torch.ones(4).to(d)",
            ["host-built"],
            id="a device, or something misunderstood",
        ),
    ],
)
def test_where_nothing_goes_wrong(body: str, how: list[str]) -> None:
    assert [one[0] for one in placed(body, head=OTHER)] == how
