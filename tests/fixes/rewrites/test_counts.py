"""`bincount` with a `minlength` becomes a sum of ones, and counts the same."""

from __future__ import annotations

from pathlib import Path

import pytest

from compilelint.fixes.rewrites.counts import counted_in_zeros
from tests.fixes.alike import alike, made

PROGRAM = """import torch


def f(x: torch.Tensor, w: torch.Tensor):
    n = 5
    return {call} * 2
"""


@pytest.mark.parametrize(
    ("call", "wanted"),
    [
        pytest.param(
            "torch.bincount(x, minlength=n)", "x.new_zeros(n).scatter_add_(0, x, torch.ones_like(x))", id="function"
        ),
        pytest.param(
            "x.bincount(minlength=4 + 1)", "x.new_zeros(4 + 1).scatter_add_(0, x, torch.ones_like(x))", id="method"
        ),
        pytest.param(
            "torch.bincount(x.flatten(), minlength=n)",
            "x.flatten().new_zeros(n).scatter_add_(0, x.flatten(), torch.ones_like(x.flatten()))",
            id="what is computed without effects is computed again",
        ),
        pytest.param("torch.bincount(x)", "", id="near miss: the length is data"),
        pytest.param("torch.bincount(x, minlength=0)", "", id="near miss: no length at all"),
        pytest.param("torch.bincount(x, w, minlength=n)", "", id="near miss: weights"),
        pytest.param("torch.bincount(x, weights=w, minlength=n)", "", id="near miss: weights by name"),
        pytest.param("torch.bincount(x.random_(5), minlength=n)", "", id="near miss: it draws again each time"),
    ],
)
def test_only_a_length_that_is_given_is_used(call: str, wanted: str, tmp_path: Path) -> None:
    text = PROGRAM.format(call=call)
    after, unmet = made(text, counted_in_zeros, tmp_path)
    assert after == (PROGRAM.format(call=wanted) if wanted else text)
    assert bool(unmet) == bool(wanted), "a greater value is only excluded by a run"


@pytest.mark.dynamo
@pytest.mark.parametrize("values", [[0, 2, 2, 4], [], [4], [-1, 2]], ids=["some", "none", "one", "below zero raises"])
def test_it_counts_the_same(values: list[int], tmp_path: Path) -> None:
    import torch

    text = PROGRAM.format(call="torch.bincount(x, minlength=n)")
    after, _ = made(text, counted_in_zeros, tmp_path)
    assert after != text
    alike(text, after, (torch.tensor(values, dtype=torch.int64), torch.ones(4)), tmp_path)
