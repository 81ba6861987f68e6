"""CL82x on small programs: what CUDA graphs cannot record is reported where a mode asks for them, and only there."""

from __future__ import annotations

import pytest

from compilelint.checks import rulebook
from compilelint.model import Confidence
from compilelint.torchfacts import load
from tests.support.reveal import run

CERTAIN, LIKELY = Confidence.CERTAIN, Confidence.LIKELY


def said(
    line: str, decorator: str = '@torch.compile(mode="reduce-overhead")', head: str = "x: Tensor"
) -> list[Confidence]:
    """How sure each CL820 is about a function that holds the line."""
    book, facts = rulebook(), load("2.13.0")
    text = f"{decorator}\ndef f({head}):\n    y = x + 1\n    {line}\n    return y\n"
    found = [one for event in run(text) for one in book.findings_for(event, facts)]
    return [one.confidence for one in found if one.rule.code == "CL820"]


@pytest.mark.parametrize("line", ["x.add_(1)", "x.copy_(y)", "x.fill_(0)", "x[0] = 1", "x[:, 0] = y", "x.zero_()"])
def test_an_input_is_written(line: str) -> None:
    assert said(line) == [CERTAIN]
    assert said(line, head="x: Union[Tensor, int]") == [LIKELY]


@pytest.mark.parametrize(
    "line",
    [
        pytest.param("y.add_(1)", id="what is computed here"),
        pytest.param("y[0] = 1", id="an item of it"),
        pytest.param("x.requires_grad_()", id="no data is written"),
        pytest.param("x.detach_()", id="nor here"),
        pytest.param("z = x.add(1)", id="out of place"),
        pytest.param("z = x[0]", id="read"),
        pytest.param("z = x.__len__()", id="a special method"),
    ],
)
def test_nothing_of_an_input_is_written(line: str) -> None:
    assert said(line) == []


@pytest.mark.parametrize(
    ("decorator", "count"),
    [
        pytest.param('@torch.compile(mode="max-autotune")', 1, id="another mode that records"),
        pytest.param('@torch.compile(options={"triton.cudagraphs": True})', 1, id="an option that records"),
        pytest.param("@torch.compile", 0, id="no mode"),
        pytest.param('@torch.compile(mode="max-autotune-no-cudagraphs")', 0, id="a mode that does not"),
        pytest.param('@torch.compile(mode="reduce-overhead", backend="eager")', 0, id="a backend that does not"),
        pytest.param("", 0, id="not compiled"),
    ],
)
def test_only_where_graphs_are_recorded(decorator: str, count: int) -> None:
    assert len(said("x.add_(1)", decorator)) == count
