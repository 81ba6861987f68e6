"""A number chosen by a tensor is asked for first only if the numbers are known, and the constant ones fail the test."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.fixes.goldens import fixed

PROGRAM = """import torch


@torch.compile
def f(x: torch.Tensor, n: float, k: int, names: list):
    {before}
    if {test}:
        names.append(k)
    return x
"""
CHOSEN = "g = torch.where(x.sum() > 0, n, 0.0)"


def asked_first(before: str, test: str, folder: Path) -> str:
    """The test that the fixes put in front; empty where they change nothing of the `if`."""
    text = PROGRAM.format(before=before, test=test)
    made, _ = fixed(text, folder)
    line = next(line.strip() for line in made.splitlines() if line.strip().endswith(f"{test}:"))
    return line.removeprefix("if ").removesuffix(f"{test}:").removesuffix(" and ")


@pytest.mark.parametrize(
    ("before", "test", "first"),
    [
        pytest.param(CHOSEN, "g > 0", "n > 0", id="a parameter, or a constant that fails"),
        pytest.param(CHOSEN, "g != 0", "n != 0", id="not equal"),
        pytest.param("g = torch.where(x.sum() > 0, n, 2 * k)", "g > 0", "(n > 0 or 2 * k > 0)", id="two numbers"),
        pytest.param("g = torch.where(x.sum() > 0, len(names), 0)", "g > 0", "len(names) > 0", id="a length"),
        pytest.param("g = torch.where(x.sum() > 0, max(n, k), 0)", "g > 0", "max(n, k) > 0", id="the larger one"),
        pytest.param(f"{CHOSEN}\n    y = x + 1", "g > 0", "n > 0", id="tensor math in between"),
    ],
)
def test_numbers_are_asked_first(before: str, test: str, first: str, tmp_path: Path) -> None:
    assert asked_first(before, test, tmp_path) == first


@pytest.mark.parametrize(
    ("before", "test"),
    [
        pytest.param(CHOSEN, "g >= 0", id="the constant passes the test"),
        pytest.param(CHOSEN, "g > n", id="compared with what is no constant"),
        pytest.param(CHOSEN, "0 < g < 3", id="a chain"),
        pytest.param(f"{CHOSEN}\n    g = g + 1", "g > 0", id="assigned twice"),
        pytest.param(f"{CHOSEN}\n    names.append(1)", "g > 0", id="a call in between"),
        pytest.param(f"{CHOSEN}\n    n = 3.0", "g > 0", id="a number that is bound again"),
        pytest.param("g = torch.where(x.sum() > 0, x.mean(), 0.0)", "g > 0", id="a tensor on one side"),
        pytest.param("g = torch.where(x.sum() > 0, names, 0.0)", "g > 0", id="a parameter that is not a number"),
        pytest.param("g = torch.where(x.sum() > 0, True, 0.0)", "g > 0", id="a flag"),
        pytest.param("g = torch.where(x.sum() > 0, len(set(names)), 0)", "g > 0", id="the length of what is computed"),
        pytest.param("g = torch.add(x.sum(), n)", "g > 0", id="not chosen at all"),
        pytest.param("if k:\n        g = torch.where(x.sum() > 0, n, 0.0)", "g > 0", id="chosen in another block"),
    ],
)
def test_otherwise_the_branch_stays_as_it_is(before: str, test: str, tmp_path: Path) -> None:
    assert asked_first(before, test, tmp_path) == ""
