"""How many graphs to expect, in words."""

from __future__ import annotations

import pytest

from compilelint.model import Location, Span
from compilelint.report.layout.graph_count import GraphCount, graph_count
from compilelint.report.report import CompileRoot


@pytest.mark.parametrize(
    ("count", "words"),
    [
        pytest.param(GraphCount(0, 0), "no graph", id="nothing is compiled"),
        pytest.param(GraphCount(1, 1), "1 graph", id="one"),
        pytest.param(GraphCount(3, 3), "3 graphs", id="the same on each way"),
        pytest.param(GraphCount(2, 4), "2 to 4 graphs", id="an arm decides"),
        pytest.param(GraphCount(0, 4), "up to 4 graphs", id="one way computes nothing"),
        pytest.param(GraphCount(0, 1), "up to 1 graph", id="one or none"),
        pytest.param(GraphCount(6, 9, True), "6 graphs or more", id="compiled again for other modules"),
        pytest.param(GraphCount(0, 2, True), "1 graph or more", id="at least what is compiled again"),
    ],
)
def test_words(count: GraphCount, words: str) -> None:
    assert count.words == words


def test_of_several_roots_of_one_function_the_largest_counts() -> None:
    at = Location("/p/net.py", Span(1, 1, 1, 2))
    small = CompileRoot("f", at, None, graphs=2)
    large = CompileRoot("f", at, None, graphs=5, fewest=3, again=True)
    assert graph_count([small]) == GraphCount(2, 2)
    assert graph_count([small, large]) == GraphCount(3, 5, True)
