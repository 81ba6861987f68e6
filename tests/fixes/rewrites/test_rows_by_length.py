"""A loop that fills each row up to its length becomes one assignment, and fills the same."""

from __future__ import annotations

from pathlib import Path

import pytest

from compilelint.fixes.rewrites.rows_by_length import filled_by_length
from tests.fixes.alike import alike, made

PROGRAM = """import torch


def f(mask: torch.Tensor, starts_at: torch.Tensor, lengths: torch.Tensor):
    mask = mask.clone()
    for i in range({turns}):
        {fill}
    return {result}
"""


def _program(fill: str, turns: str = "len(mask)", result: str = "mask") -> str:
    return PROGRAM.format(fill=fill, turns=turns, result=result)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        pytest.param(_program("mask[i, : lengths[i]] = 1"), "mask[positions < ends[:, None]] = 1", id="up to it"),
        pytest.param(
            _program("mask[i][lengths[i] :] = -1.5"), "mask[positions >= starts[:, None]] = -1.5", id="behind"
        ),
        pytest.param(
            _program("mask[i, :, starts_at[i] : lengths[i]] = True", "mask.size(0)"),
            "mask.transpose(1, 2)[(positions >= starts[:, None]) & (positions < ends[:, None])] = True",
            id="between two, in the last of three dimensions",
        ),
        pytest.param(
            _program("mask[i, : lengths[i]] = 0").replace("lengths", "ends"),
            "mask[positions < ends_2[:, None]] = 0",
            id="a name that is taken",
        ),
        pytest.param(_program("mask[i, : lengths[i], :] = 0"), "mask[positions < ends[:, None]] = 0", id="all behind"),
        pytest.param(_program("mask[i, : lengths[i]] = lengths[i]"), "", id="near miss: the number is data"),
        pytest.param(_program("mask[i, : lengths[0]] = 1"), "", id="near miss: one length for all"),
        pytest.param(_program("mask[i, : lengths[i] : 2] = 1"), "", id="near miss: every second one"),
        pytest.param(_program("mask[0, : lengths[i]] = 1"), "", id="near miss: one row"),
        pytest.param(_program("mask[i, 1, : lengths[i]] = 1"), "", id="near miss: another index between"),
        pytest.param(_program("lengths[i, : lengths[i]] = 1"), "", id="near miss: it fills what bounds it"),
        pytest.param(_program("mask[i, : lengths[i]] = 1", result="mask + i"), "", id="near miss: read behind"),
        pytest.param(_program("mask[i, : lengths[i]] = 1", "1, len(mask)"), "", id="near miss: not from the first row"),
        pytest.param(_program("mask[i, : lengths[i]] = 1  # pads"), "", id="near miss: a comment would go"),
        pytest.param(_program("mask[i, : lengths[i]] += 1"), "", id="near miss: it adds"),
    ],
)
def test_only_a_fill_by_row_is_made_at_once(text: str, wanted: str, tmp_path: Path) -> None:
    after, unmet = made(text, filled_by_length, tmp_path)
    assert wanted in after if wanted else after == text, after
    assert bool(unmet) == bool(wanted), "how many rows there are is only known to a run"


@pytest.mark.dynamo
@pytest.mark.parametrize("dtype", ["float32", "int64", "bool"])
@pytest.mark.parametrize(
    "ends", [[1, 3, 5], [0, 0, 9], [-1, -2, -9]], ids=["some", "none and too long", "from the end"]
)
@pytest.mark.parametrize(
    ("fill", "shape"),
    [
        ("mask[i, : lengths[i]] = 1", (3, 5)),
        ("mask[i, : lengths[i]] = 1", (3, 5, 2)),
        ("mask[i, lengths[i] :] = 1", (3, 5)),
        ("mask[i, :, starts_at[i] : lengths[i]] = 1", (3, 5, 5)),
        ("mask[i, :, starts_at[i] : lengths[i]] = 1", (3, 2, 6)),
    ],
)
def test_it_fills_the_same(fill: str, shape: tuple[int, ...], ends: list[int], dtype: str, tmp_path: Path) -> None:
    import torch

    text = _program(fill)
    after, _ = made(text, filled_by_length, tmp_path)
    assert after != text
    mask = torch.zeros(shape, dtype=getattr(torch, dtype))
    alike(text, after, (mask, torch.tensor([0, 1, -3]), torch.tensor(ends)), tmp_path)
