"""CL40x and CL516 on small programs: layouts that an operation refuses, and those that are fine."""

from __future__ import annotations

import pytest

from compilelint.checks import rulebook
from compilelint.model import Confidence
from compilelint.torchfacts import load
from tests.support.reveal import run

LIKELY, POSSIBLE = Confidence.LIKELY, Confidence.POSSIBLE
HEAD = """
class M(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 4)

    def forward(self, x: Tensor, b: int):
        y = torch.zeros(2, 3, 4, 5)
        h = self.layer(x)
        {}
"""


def said(line: str) -> list[tuple[str, Confidence]]:
    book, facts = rulebook(), load("2.13.0")
    reported = [one for event in run(HEAD.format(line)) for one in book.findings_for(event, facts)]
    return sorted({(one.rule.code, one.confidence) for one in reported if one.rule.code[:4] in ("CL40", "CL51")})


@pytest.mark.parametrize(
    ("line", "code", "sure"),
    [
        ("return y.transpose(1, 2).view(2, 4, 15)", "CL401", LIKELY),
        ("return y.transpose(1, 2).view(-1)", "CL401", LIKELY),
        ("return y.permute(0, 2, 3, 1).view(2, -1)", "CL401", LIKELY),
        ("return y.transpose(1, 2).exp().view(b, -1)", "CL401", LIKELY),
        ("return x.expand(3, 4).add_(1)", "CL402", LIKELY),
        ("r = x.expand(3, 4)\n        r += 1\n        return r", "CL402", LIKELY),
        ("r = x.expand(3, 4)\n        r[0] = 1\n        return r", "CL402", LIKELY),
        ("a, c = h.chunk(2)\n        a += c\n        return a", "CL403", LIKELY),
        ("a, c = h.chunk(2)\n        a.mul_(c)\n        return a", "CL403", LIKELY),
        ("a, c = x.chunk(2)\n        a += c\n        return a", "CL403", POSSIBLE),
        ("return torch.matmul(h.transpose(0, 1).contiguous(), x)", "CL404", POSSIBLE),
        ("return h.to(memory_format=torch.channels_last)", "CL405", POSSIBLE),
        ("torch.add(x, 1, out=y.transpose(0, 1))", "CL406", LIKELY),
        ("torch.add(x, 1, out=torch.empty(0))", "CL407", LIKELY),
        ("r = x.new()\n        torch.stack([x, x], out=r)\n        return r", "CL407", LIKELY),
        ("h.data.mul_(2)\n        return h", "CL516", LIKELY),
        ("r = x * 2\n        r.data[0] = 1\n        return r", "CL516", POSSIBLE),
    ],
)
def test_it_is_reported(line: str, code: str, sure: Confidence) -> None:
    assert said(line) == [(code, sure)]


@pytest.mark.parametrize(
    "line",
    [
        pytest.param("torch.add(x, 1, out=torch.empty(4))", id="a target that may have the right size"),
        pytest.param("torch.add(x, 1, out=torch.empty_like(x))", id="a target of the right size"),
        pytest.param("return torch.cat([torch.empty(0), x])", id="read, not written"),
        pytest.param("return y.transpose(1, 2).reshape(2, 4, 15)", id="reshape copies where it must"),
        pytest.param("return y.transpose(1, 2).contiguous().view(2, 4, 15)", id="contiguous before"),
        pytest.param("return y.transpose(1, 2).view(2, 4, 3, 5)", id="nothing is merged"),
        pytest.param("return y.permute(0, 2, 3, 1).view(2, 20, 3)", id="neighbours are merged"),
        pytest.param("return y.transpose(1, 2).transpose(1, 2).view(-1)", id="turned back"),
        pytest.param("return x.transpose(1, 2).view(-1)", id="of unknown rank and layout"),
        pytest.param("return x.expand(3, 4).clone().add_(1)", id="copied first"),
        pytest.param("return x.expand(3, 4).zero_()", id="filled as a whole"),
        pytest.param("a, c = h.chunk(2)\n        a = a + c\n        return a", id="out of place"),
        pytest.param("a = h[:2]\n        a += 1\n        return a", id="a view of its own"),
        pytest.param("return torch.matmul(h.contiguous(), x)", id="contiguous already"),
        pytest.param("torch.add(x, 1, out=y)", id="a contiguous target"),
        pytest.param("self.layer.weight.data.clamp_(-1, 1)", id="a parameter is clipped"),
    ],
)
def test_it_is_fine(line: str) -> None:
    assert said(line) == []


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("x.t_()", "`.t_()` changes the shape or strides of a graph input in place"),
        ("x.resize_(3)", "`.resize_()` resizes the storage of `x`"),
    ],
)
def test_a_view_in_place_is_not_called_a_change_of_memory(line: str, words: str) -> None:
    book, facts = rulebook(), load("2.13.0")
    reported = [one for event in run(HEAD.format(line)) for one in book.findings_for(event, facts)]
    assert words in {one.message for one in reported if one.rule.code == "CL410"}
