"""A choice between two sides computes both, so either may forbid it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.fixes.goldens import fixed

PROGRAM = """import torch

SEEN = []


def f(x: torch.Tensor):
    return {first} if x.sum() > 0 else {second}
"""


@pytest.mark.parametrize(
    "effect",
    ["x.add_(1)", "torch.add(x, 1, out=x)", "torch.rand(3)", "SEEN.append(x)", "print(x)", "make(x)"],
)
def test_a_side_with_an_effect_is_left_where_it_is_on_either_side(effect: str, tmp_path: Path) -> None:
    for first, second in ((effect, "x * 2"), ("x * 2", effect)):
        text = PROGRAM.format(first=first, second=second)
        assert "torch.where" not in fixed(text, tmp_path)[0]
    assert "torch.where" in fixed(PROGRAM.format(first="x * 2", second="x - 1"), tmp_path)[0]
