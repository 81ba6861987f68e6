"""Attacks drawn by Hypothesis, a few of each target; `python -m benchmarks.fuzz --minutes N` draws more."""

from __future__ import annotations

import pytest

from benchmarks import fuzz
from tests.security.bounded_child import complaint

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("target", [pytest.param(name, id=f"fuzz: {name}") for name in fuzz.TARGETS])
def test_a_drawn_input_ends_within_bounds(target: str) -> None:
    assert complaint("fuzz", target) == ""
