"""CL501 and CL616 on small programs: `requires_grad_` where it changes a flag, and conversions of modules."""

from __future__ import annotations

import pytest

from compilelint.checks import rulebook
from compilelint.model import Confidence
from compilelint.torchfacts import load
from tests.support.reveal import run

CERTAIN, LIKELY = Confidence.CERTAIN, Confidence.LIKELY
HEAD = """
class M(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 4)
        self.weight = nn.Parameter(torch.ones(4))
        self.register_buffer("places", torch.arange(4.0))

    def forward(self, x: Tensor, flag: bool):
        h = self.layer(x)
        {}
        return h
"""


def said(line: str) -> list[tuple[str, Confidence]]:
    book, facts = rulebook(), load("2.13.0")
    reported = [one for event in run(HEAD.format(line)) for one in book.findings_for(event, facts)]
    return sorted({(one.rule.code, one.confidence) for one in reported if one.rule.code in ("CL501", "CL616")})


@pytest.mark.parametrize(
    ("line", "code", "sure"),
    [
        ("self.weight.requires_grad_(False)", "CL501", LIKELY),
        ("self.weight.requires_grad = True", "CL501", CERTAIN),
        ("self.places.requires_grad_()", "CL501", CERTAIN),
        ("self.layer.requires_grad_(False)", "CL501", LIKELY),
        ("self.requires_grad_(False)", "CL501", LIKELY),
        ("[p.requires_grad_(False) for p in self.parameters()]", "CL501", LIKELY),
        ("x.requires_grad_()", "CL501", LIKELY),
        ("h.detach().requires_grad_()", "CL501", CERTAIN),
        ("h.data.requires_grad_()", "CL501", CERTAIN),
        ("torch.zeros_like(h).requires_grad_()", "CL501", CERTAIN),
        ("h.new_zeros(4).requires_grad_()", "CL501", CERTAIN),
        ("torch.zeros_like(x, requires_grad=True)", "CL501", CERTAIN),
        ("self.layer.half()", "CL616", CERTAIN),
        ("self.layer.to(torch.bfloat16)", "CL616", CERTAIN),
    ],
)
def test_a_change_ends_the_graph(line: str, code: str, sure: Confidence) -> None:
    assert said(line) == [(code, sure)]


@pytest.mark.parametrize(
    "line",
    [
        pytest.param("self.weight.requires_grad_(True)", id="a parameter needs its gradient already"),
        pytest.param("nn.Linear(4, 4).weight.requires_grad_(True)", id="of a layer made here too"),
        pytest.param("[p.requires_grad_() for p in self.parameters()]", id="all of them"),
        pytest.param("self.layer.requires_grad_(True)", id="a module's parameters"),
        pytest.param("self.places.requires_grad_(False)", id="a buffer needs none"),
        pytest.param("h.requires_grad_()", id="what a layer returns needs one"),
        pytest.param("(self.weight * x).requires_grad_()", id="what is computed from a parameter needs one"),
        pytest.param("h.detach().requires_grad_(False)", id="switched off on what has none"),
        pytest.param("self.layer.float()", id="parameters are float32 already"),
        pytest.param("self.layer.to(torch.float32)", id="however it is written"),
        pytest.param("self.layer.to(x.dtype)", id="mostly the dtype that it has"),
        pytest.param("h.new_zeros(4, requires_grad=True)", id="a factory method with the flag, measured"),
        pytest.param("nn.Linear(4, 4).half()", id="a module made here"),
    ],
)
def test_a_call_that_changes_nothing_is_traced(line: str) -> None:
    assert said(line) == []


def test_what_was_made_with_the_flag_needs_no_second_one() -> None:
    """One finding, at the factory: measured, the graph ends there, and `requires_grad_` changes nothing any more."""
    lines = "h = torch.zeros_like(x, requires_grad=self.training)\n        h.requires_grad_(True)"
    assert said(lines) == [("CL501", CERTAIN)]
    events = [event for event in run(HEAD.format(lines)) if event.breaks]
    assert len(events) == 1
