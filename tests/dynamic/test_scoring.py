"""How findings of a report become places that are held against recorded breaks; the rest is in tests/benchmarks."""

from __future__ import annotations

import pytest

from compilelint.dynamic.scoring import LONGEST_FINDING, hits_of


@pytest.mark.parametrize(
    ("end", "last"),
    [
        pytest.param(None, 10, id="a finding of one line"),
        pytest.param(12, 12, id="over three lines"),
        pytest.param(9, 10, id="an end before its beginning counts as one line"),
        pytest.param(10 + 5 * LONGEST_FINDING, 9 + LONGEST_FINDING, id="a finding of a whole file is cut"),
    ],
)
def test_which_lines_a_finding_covers(end: int | None, last: int) -> None:
    finding = {"rule": "CL101", "effect": "graph-break", "path": "/site/pkg/a.py", "line": 10, "end_line": end}
    assert [(hit.first, hit.last) for hit in hits_of({"findings": [finding]}, "/site")] == [(10, last)]
