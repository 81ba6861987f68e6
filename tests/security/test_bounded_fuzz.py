"""Attacks drawn by Hypothesis, a few of each target; `python -m benchmarks.fuzz --minutes N` draws more."""

from __future__ import annotations

import pytest

from benchmarks import fuzz
from benchmarks.bounded import Hostile, ended, warm

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("target", [pytest.param(name, id=f"fuzz: {name}") for name in fuzz.TARGETS])
def test_a_drawn_input_ends_within_bounds(target: str) -> None:
    endings = []

    def check(hostile: Hostile) -> None:
        found = ended(hostile)
        assert not found.complaint, f"{found.complaint}\n{hostile.files}"
        endings.append(found)

    warm()
    fuzz.run(target, check, 8, 0)
    assert len(endings) >= 5
