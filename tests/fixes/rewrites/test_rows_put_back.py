"""Rows that a mask picks, computed with and put back: all are computed, and the mask chooses."""

from __future__ import annotations

from pathlib import Path

import pytest

from compilelint.fixes.rewrites.rows_put_back import all_rows_put_back
from tests.fixes.alike import alike, made

PROGRAM = """import torch


def overlap(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    low, high = torch.maximum(a[..., :2], b[..., :2]), torch.minimum(a[..., 2:], b[..., 2:])
    return (high - low).clamp(min=0).prod(-1)


def f(boxes: torch.Tensor, truth: torch.Tensor, scores: torch.Tensor):
    mask = scores > 0
{body}
    return overlaps * 2
"""
MADE = "    overlaps = torch.zeros(mask.shape)\n"


def _program(body: str) -> str:
    return PROGRAM.format(body=body.rstrip("\n"))


PAIRS = [
    pytest.param(
        MADE + "    overlaps[mask] = overlap(boxes[mask], truth[mask])\n",
        MADE + "    overlaps = torch.where(mask, overlap(boxes, truth), overlaps)\n",
        id="in one line",
    ),
    pytest.param(
        MADE
        + "    # those that count\n    some = boxes[mask]  # rows\n    true = (truth + 0)[mask]\n"
        + "    overlaps[mask] = overlap(some, true)\n",
        MADE
        + "    # those that count\n    some = boxes  # rows\n    true = (truth + 0)\n"
        + "    overlaps = torch.where(mask, overlap(some, true), overlaps)\n",
        id="with names",
    ),
    pytest.param(
        "    overlaps = scores.clone()\n    overlaps[mask] = overlap(boxes[mask], truth[mask])\n",
        "    overlaps = scores.clone()\n    overlaps.copy_(torch.where(mask, overlap(boxes, truth), overlaps))\n",
        id="what others may hold is written in place",
    ),
]


@pytest.mark.parametrize(("body", "wanted"), PAIRS)
def test_all_rows_are_computed(body: str, wanted: str, tmp_path: Path) -> None:
    after, unmet = made(_program(body), all_rows_put_back, tmp_path)
    assert after == _program(wanted)
    assert unmet, "whether a function works row by row is only known by a run"


@pytest.mark.parametrize(
    "body",
    [
        pytest.param(
            MADE + "    some = boxes[mask]\n    overlaps[mask] = overlap(some, truth[mask])\n    print(some)\n",
            id="near miss: what was picked is read elsewhere",
        ),
        pytest.param(
            MADE + "    some = boxes[mask]\n    mask = mask.flip(0)\n    overlaps[mask] = overlap(some, some)\n",
            id="near miss: another mask puts back",
        ),
        pytest.param(
            MADE + "    some = boxes[mask]\n    mask[0] = True\n    overlaps[mask] = overlap(some, truth[mask])\n",
            id="near miss: the mask is written in between",
        ),
        pytest.param(
            MADE + "    some = boxes[scores > 1]\n    overlaps[mask] = overlap(some, some)\n",
            id="near miss: picked by another one",
        ),
        pytest.param(
            "    overlaps = scores.clone()\n    overlaps[mask] = overlaps[mask].exp()\n",
            id="element by element, which needs no proof of its rows",
        ),
    ],
)
def test_it_stays_where_the_rows_may_be_others(body: str, tmp_path: Path) -> None:
    assert made(_program(body), all_rows_put_back, tmp_path)[0] == _program(body)


@pytest.mark.dynamo
@pytest.mark.parametrize(("body", "wanted"), PAIRS)
@pytest.mark.parametrize("kind", ["some", "none", "all"])
def test_it_gives_the_same(body: str, wanted: str, kind: str, tmp_path: Path) -> None:
    import torch

    torch.manual_seed(0)
    scores = {"some": torch.randn(2, 5), "none": -torch.ones(2, 5), "all": torch.ones(2, 5)}[kind]
    boxes, truth = torch.rand(2, 5, 4, requires_grad=True), torch.rand(2, 5, 4)
    alike(_program(body), _program(wanted), (boxes, truth, scores), tmp_path)
