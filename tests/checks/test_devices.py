"""CL3xx on small programs: which copies are reported, how sure, and the many moves that cost nothing."""

from __future__ import annotations

import pytest

from compilelint.checks import rulebook
from compilelint.model import Confidence
from compilelint.torchfacts import load
from tests.support.reveal import run

LIKELY, POSSIBLE = Confidence.LIKELY, Confidence.POSSIBLE
HEAD = """
TABLE = torch.arange(4.0)

class M(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 4)
        self.weight = nn.Parameter(torch.ones(4))
        self.register_buffer("places", torch.arange(4.0))
        self.plain = torch.arange(4.0)
        self.cached = torch.arange(4.0)

    def prepare(self, device):
        self.cached = self.cached.to(device)

    def forward(self, x: Tensor, flag: bool, t: Tensor):
        h = self.layer(x)
        {}
"""


def said(line: str, program: str = HEAD) -> list[tuple[str, Confidence]]:
    """What the rules of CL3 say about a module whose forward holds the line."""
    book, facts = rulebook(), load("2.13.0")
    reported = [one for event in run(program.format(line)) for one in book.findings_for(event, facts)]
    return sorted({(one.rule.code, one.confidence) for one in reported if one.rule.code.startswith("CL3")})


@pytest.mark.parametrize(
    ("line", "code", "sure"),
    [
        ("return torch.randn(4).to(x.device)", "CL301", LIKELY),
        ("return (torch.randn(4) * 2).type_as(h)", "CL301", LIKELY),
        ("return torch.arange(4).to(x.device)", "CL301", POSSIBLE),
        ("return torch.tensor([1, 2]).cuda()", "CL301", POSSIBLE),
        ("return self.plain.to(x.device)", "CL302", LIKELY),
        ("return self.plain.unsqueeze(0).type_as(h)", "CL302", LIKELY),
        ("return TABLE.to(x.device)", "CL302", LIKELY),
        ("return h.cpu()", "CL303", LIKELY),
        ("return h.to('cpu')", "CL303", LIKELY),
        ("return h.detach().to(torch.device('cpu'))", "CL303", LIKELY),
        ("return x.cpu()", "CL303", POSSIBLE),
        ("return h.to('cpu', non_blocking=True)", "CL305", POSSIBLE),
        ("return torch.zeros(4, device='cuda')", "CL306", LIKELY),
        ("return h.cuda()", "CL306", LIKELY),
        ("return h + torch.zeros(4)", "CL307", LIKELY),
        ("return torch.cat([h, torch.zeros(4, 4)])", "CL307", LIKELY),
        ("return torch.tensor([h.mean(), h.max()])", "CL308", LIKELY),
        ("return x.new_tensor([h.mean(), 0.0])", "CL308", LIKELY),
        ("return h.float().half()", "CL309", POSSIBLE),
        ("return self.layer.to(x.device)(x)", "CL310", LIKELY),
        ("self.layer.cuda()\n        return h", "CL310", LIKELY),
        ("self.layer.cpu()\n        return h", "CL310", LIKELY),
        ("self.to(x.device)\n        return h", "CL310", LIKELY),
        ("if flag:\n            self.layer.cpu()\n        return h", "CL310", POSSIBLE),
    ],
)
def test_a_copy_is_reported(line: str, code: str, sure: Confidence) -> None:
    assert said(line) == [(code, sure)]


def test_what_comes_back_from_the_host_is_a_round_trip() -> None:
    assert said("return h.cpu().cumsum(0).to(x.device)") == [("CL303", LIKELY), ("CL304", LIKELY)]


@pytest.mark.parametrize(
    "line",
    [
        pytest.param("return nn.Identity().to(x.device)(h)", id="a module made here"),
        pytest.param("return x.to(torch.float16)", id="a dtype alone"),
        pytest.param("return x.to(h.dtype)", id="a dtype from a tensor"),
        pytest.param("return torch.randn(4, device=x.device)", id="made on the device"),
        pytest.param("return torch.zeros_like(x).to(x.device)", id="made like a tensor"),
        pytest.param("return x.new_zeros(4).to(x.device)", id="made by a tensor"),
        pytest.param("return self.places.to(x.device)", id="a buffer moves with its module"),
        pytest.param("return self.weight.to(x.device)", id="a parameter moves with its module"),
        pytest.param("return self.cached.to(x.device)", id="another method moves and keeps it"),
        pytest.param("return torch.arange(4).cpu()", id="on the host already"),
        pytest.param("return h.cpu().cpu()[0] if False else h", id="dead code"),
        pytest.param("return h * torch.tensor(2.0)", id="no dimension may come from the host"),
        pytest.param("return h + torch.zeros(4, device=h.device)", id="the same device"),
        pytest.param("return t + torch.zeros(4)", id="an argument may lie on the host"),
        pytest.param("return torch.tensor([x.shape[0], 3])", id="sizes are no tensors"),
        pytest.param("return h.float().to(torch.float32)", id="nothing to convert"),
        pytest.param("return torch.softmax(h.float(), -1).to(h.dtype)", id="an operation in between"),
    ],
)
def test_a_move_that_costs_nothing_is_not_reported(line: str) -> None:
    assert said(line) == []


def test_under_a_test_and_in_host_code_a_move_is_possible_only() -> None:
    assert said("return h.cpu() if flag else h") == [("CL303", LIKELY)]
    assert said("if flag:\n            return h.cpu()\n        return h") == [("CL303", POSSIBLE)]
    assert said("return (x * 2).cpu()", "def collect(x: Tensor):\n    {}\n") == [("CL303", POSSIBLE)]


def test_no_rule_of_the_family_claims_a_graph_break() -> None:
    for rule in rulebook().rules:
        if rule.code.startswith("CL3"):
            assert not rule.breaks
            assert "graph-break" not in {effect.value for effect in rule.effects}
