"""Sizes that go into a tensor and are read back are read from their list."""

from __future__ import annotations

from pathlib import Path

import pytest

from compilelint.fixes.rewrites.python_numbers import read_from_the_list
from compilelint.fixes.rewrites.views import stated_length
from tests.fixes.alike import alike, made

PROGRAM = """import torch


def f(x: torch.Tensor, y: torch.Tensor, rows: list = ()):
    {before}
    lengths = torch.tensor({held})
    {between}
    return x.sum() + torch.arange({read}).sum()
"""
BOTH = "[len(x), len(y)]"


def _program(held: str = BOTH, read: str = "lengths.max().item()", between: str = "pass", before: str = "pass") -> str:
    return PROGRAM.format(held=held, read=read, between=between, before=before)


@pytest.mark.parametrize(
    ("text", "wanted", "lawful"),
    [
        pytest.param(_program(), "max(lengths_list)", True, id="lengths"),
        pytest.param(_program("[x.shape[0] * 2, 3]", "lengths.sum().item()"), "sum(lengths_list)", True, id="sizes"),
        pytest.param(_program("[len(one) for one in rows]"), "max(lengths_list)", False, id="it may be empty"),
        pytest.param(
            _program("[one.shape[0] for one in (x, y)]"), "max(lengths_list)", False, id="no tensor by the text"
        ),
        pytest.param(
            _program("sizes", before="sizes = []; sizes.append(len(x))"),
            "max(lengths_list)",
            False,
            id="a list by steps",
        ),
        pytest.param(_program(between="lengths.clamp_(max=1)"), "", False, id="near miss: it is written to"),
        pytest.param(_program(between="print(lengths)"), "", False, id="near miss: others get it"),
        pytest.param(_program(between="lengths = lengths + 1"), "", False, id="near miss: it is another"),
        pytest.param(_program("[x.sum(), 2]"), "", False, id="near miss: data"),
        pytest.param(_program("[len(x), 2], dtype=torch.uint8"), "", False, id="near miss: numbers that wrap"),
        pytest.param(_program("[len(x), 2], dtype=torch.float16"), "", False, id="near miss: numbers that are rounded"),
        pytest.param(_program("[True, False]", "lengths.sum().item()"), "", False, id="near miss: bools"),
        pytest.param(
            _program("sizes", before="sizes = [2]; sizes.extend(rows)"), "", False, id="near miss: a list of any"
        ),
        pytest.param(_program(read="lengths.max(0).values.item()"), "", False, id="near miss: along a dimension"),
        pytest.param(_program(between="lengths_list = []"), "", False, id="near miss: the name is taken"),
    ],
)
def test_a_number_that_python_knew_is_read_from_the_list(text: str, wanted: str, lawful: bool, tmp_path: Path) -> None:
    after, unmet = made(text, read_from_the_list, tmp_path)
    assert wanted in after if wanted else after == text, after
    assert bool(unmet) == (bool(wanted) and not lawful)


@pytest.mark.dynamo
@pytest.mark.parametrize("read", ["lengths.max().item()", "lengths.amin().item()", "lengths.tolist()[0]"])
def test_it_is_the_same_number(read: str, tmp_path: Path) -> None:
    import torch

    text = _program(read=read)
    after, _ = made(text, read_from_the_list, tmp_path)
    assert after != text
    alike(text, after, (torch.randn(3, 2), torch.randn(5)), tmp_path)


REPEATS = """import torch


def f(x: torch.Tensor, y: torch.Tensor):
    counts = [x.shape[0], y.shape[0]]
    return torch.repeat_interleave(
        torch.arange(2),
        torch.tensor(counts, device=x.device),
    )
"""


@pytest.mark.dynamo
def test_the_length_of_repeats_is_the_sum_of_sizes(tmp_path: Path) -> None:
    import torch

    after, unmet = made(REPEATS, stated_length, tmp_path)
    assert "        torch.tensor(counts, device=x.device),\n        output_size=sum(counts),\n" in after
    assert "one number for many rows" in unmet
    alike(REPEATS, after, (torch.randn(3), torch.randn(2)), tmp_path)
