"""Two ways that return become one `torch.where` only if both values may be computed, whichever is wanted."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.fixes.goldens import fixed

PROGRAM = """import torch


def f(x: torch.Tensor, y: torch.Tensor, n: int, layer):
    {before}
    if {test}:
        {arm}
    {rest}
"""


def returned(folder: Path, arm: str, rest: str, test: str = "x.sum() > 0", before: str = "z = x + 1") -> str:
    """The last line after the fixes; empty where they leave the branch."""
    text = PROGRAM.format(before=before, test=test, arm=arm, rest=rest)
    made, _ = fixed(text, folder)
    return "" if f"if {test}:" in made else made.splitlines()[-1].strip()


@pytest.mark.parametrize(
    ("arm", "rest", "made"),
    [
        ("return x", "return y", "return torch.where(x.sum() > 0, x, y)"),
        ("return x * 2", "return y.exp()", "return torch.where(x.sum() > 0, x * 2, y.exp())"),
        ("return x", "else:\n        return y", "return torch.where(x.sum() > 0, x, y)"),
        ("return x", "return 0.0", "return torch.where(x.sum() > 0, x, 0.0)"),
    ],
)
def test_both_values_are_computed_and_one_is_chosen(arm: str, rest: str, made: str, tmp_path: Path) -> None:
    assert returned(tmp_path, arm, rest) == made


@pytest.mark.parametrize(
    ("arm", "rest", "test"),
    [
        pytest.param("return layer(x)", "return y", "x.sum() > 0", id="a layer may change state"),
        pytest.param("return x", "return layer(y)", "x.sum() > 0", id="so may the other one"),
        pytest.param("return x.add_(1)", "return y", "x.sum() > 0", id="written in place"),
        pytest.param("return torch.rand_like(x)", "return y", "x.sum() > 0", id="drawn"),
        pytest.param("return None", "return y", "x.sum() > 0", id="nothing is no tensor"),
        pytest.param("return 'a'", "return y", "x.sum() > 0", id="nor is a text"),
        pytest.param("return", "return y", "x.sum() > 0", id="no value at all"),
        pytest.param("z = x + 2\n        return z", "return y", "x.sum() > 0", id="the arm does more"),
        pytest.param("return x", "z = y\n    return z", "x.sum() > 0", id="something stands in between"),
        pytest.param("return x  # done", "# or\n    return y", "x.sum() > 0", id="a comment would get lost"),
        pytest.param("return x[n]", "return x[0]", "(x > 0).sum() > n", id="the test may keep the index inside"),
    ],
)
def test_otherwise_the_branch_stays(arm: str, rest: str, test: str, tmp_path: Path) -> None:
    assert returned(tmp_path, arm, rest, test) == ""
