"""`.item()` is dropped only where a 0-d tensor does as well as the number."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.fixes.goldens import fixed

PROGRAM = """import torch


def f(x: torch.Tensor, y: torch.Tensor):
    n = {read}
    return {used}
"""


@pytest.mark.parametrize(
    ("read", "used", "kept"),
    [
        pytest.param("x.max().item()", "y * (n + 1)", "x.max().detach()", id="a sum"),
        pytest.param("x.max().item()", "y * (n / 2)", "x.max().detach()", id="a quotient"),
        pytest.param("x.max().item()", "y * (n % 2)", "", id="a remainder, which makes sizes"),
        pytest.param("x.max().item()", "y * (n // 2)", "", id="a quotient of integers, which makes sizes"),
        pytest.param("x.max().item()", "y * (n**2)", "", id="a power, which is another one of tensors"),
        pytest.param("x.max().item() % 2", "y * n", "", id="a remainder where it is read"),
    ],
)
def test_arithmetic_that_is_the_same_for_tensors_takes_one(read: str, used: str, kept: str, tmp_path: Path) -> None:
    text = PROGRAM.format(read=read, used=used)
    made, _ = fixed(text, tmp_path)
    assert made == (text.replace("x.max().item()", kept) if kept else text)
