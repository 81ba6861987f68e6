"""How many graphs findings lead one to expect; each case was run under Dynamo with a backend that counts."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from compilelint.model import CallSite, Effect, Finding, Location, Span
from compilelint.report.layout.expected_graphs import expected_graphs, pieces
from tests.report.samples import sample


@pytest.mark.parametrize(
    ("ends", "graphs"),
    [
        pytest.param({}, 1, id="unbroken"),
        pytest.param({3: False}, 2, id="split once"),
        pytest.param({3: False, 5: False}, 3, id="split twice"),
        pytest.param({3: True}, 0, id="in a loop: nothing is compiled"),
        pytest.param({3: False, 5: True}, 1, id="a print, then a break in a loop: `[sin, add]` is kept"),
        pytest.param({3: True, 5: False}, 0, id="a break in a loop, then more: the frame is Python's already"),
    ],
)
def test_the_pieces_of_one_function(ends: dict[int, bool], graphs: int) -> None:
    assert pieces(ends) == graphs


def _break_at(finding: Finding, line: int, *calls: tuple[int, str], skips: bool = False) -> Finding:
    path = finding.location.path
    chain = tuple(CallSite(Location(path, Span(at, 1, at, 2)), function) for at, function in calls)
    place = Location(path, Span(line, 1, line, 2))
    return replace(finding, location=place, call_chain=chain, skips_frame=skips, effects=(Effect.GRAPH_BREAK,))


def test_a_break_in_a_callee_splits_the_caller_and_the_callee(tmp_path: Path) -> None:
    """`a = x.sin(); y = g(a); y.cos()`, and a print in `g`: sin, what precedes the print, what follows it, cos."""
    finding = sample(tmp_path).findings[0]
    assert expected_graphs([_break_at(finding, 13, (18, "h"))]) == 4
    assert expected_graphs([_break_at(finding, 13, (18, "h"), skips=True)]) == 2


def test_what_raises_ends_no_graph(tmp_path: Path) -> None:
    finding = replace(sample(tmp_path).findings[0], effects=(Effect.ERROR,))
    assert not finding.ends_graph
    assert expected_graphs([finding]) == 1
    failing = replace(finding, effects=(Effect.ERROR, Effect.GRAPH_BREAK))
    assert failing.fails_to_compile
    assert not failing.ends_graph
