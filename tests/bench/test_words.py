"""How numbers of a measurement are written."""

from __future__ import annotations

import pytest

from compilelint.bench.words import factor


@pytest.mark.parametrize(
    ("value", "words"),
    [
        pytest.param(1.734, "1.73", id="as it is"),
        pytest.param(0.0123, "0.01", id="far slower"),
        pytest.param(2.7e27, "over 1000", id="an interval of few processes that differ much"),
        pytest.param(3e-9, "under 0.001", id="its other end"),
    ],
)
def test_a_factor_is_as_exact_as_times_can_be(value: float, words: str) -> None:
    assert factor(value) == words
