"""Rows that a mask picks for a cross entropy become rows that are not ignored: the same loss and gradients."""

from __future__ import annotations

from pathlib import Path

import pytest

from compilelint.fixes.rewrites.masked_losses import ignored_rows
from tests.fixes.alike import alike, made

IN_THE_CALL = """import torch
import torch.nn.functional as F


def f(x: torch.Tensor, y: torch.Tensor, mask: torch.Tensor):
    mask = mask > 0
    return F.cross_entropy(x[mask], y[mask])
"""
IN_NAMES = """import torch
from torch import nn


def f(x: torch.Tensor, y: torch.Tensor, mask: torch.Tensor):
    rows = x[..., :-1, :][mask[..., 1:].to(x.device) > 0].contiguous()
    labels = y[..., 1:][mask[..., 1:].to(y.device) > 0].contiguous()
    loss = nn.CrossEntropyLoss()
    return loss(rows.view(-1, rows.size(-1)), labels.view(-1).to(rows.device))
"""


def test_subscripts_in_the_call(tmp_path: Path) -> None:
    after, unmet = made(IN_THE_CALL, ignored_rows, tmp_path)
    assert "F.cross_entropy(x.flatten(0, -2), y.masked_fill(~mask, -100).flatten())" in after
    assert unmet, "a row that is not picked may hold NaN, which only a run excludes"


def test_subscripts_that_two_names_are_given(tmp_path: Path) -> None:
    after, unmet = made(IN_NAMES.replace("labels.view(-1).to(rows.device)", "labels.view(-1)"), ignored_rows, tmp_path)
    assert "rows = x[..., :-1, :].flatten(0, -2).contiguous()" in after
    assert "y[..., 1:].masked_fill(~(mask[..., 1:].to(y.device) > 0), -100).flatten().contiguous()" in after
    assert unmet


@pytest.mark.parametrize(
    ("old", "new"),
    [
        pytest.param("x[mask], y[mask]", "x[mask], y[~mask]", id="two masks"),
        pytest.param("x[mask], y[mask]", "x[mask], y[mask], label_smoothing=0.1", id="more is asked"),
        pytest.param("x[mask], y[mask]", "x[mask], y[mask], reduction='sum'", id="another reduction"),
        pytest.param("x[mask], y[mask]", "x[mask], y", id="labels that are not picked"),
        pytest.param("F.cross_entropy", "F.nll_loss", id="another loss"),
        pytest.param("mask = mask > 0", "mask = mask.nonzero()", id="no mask"),
        pytest.param(
            "mask > 0\n", "torch.tensor([[True], [False]])\n    x = torch.ones(2, 1)\n", id="a mask of numbers"
        ),
    ],
)
def test_near_misses_in_the_call(old: str, new: str, tmp_path: Path) -> None:
    text = IN_THE_CALL.replace(old, new)
    assert text != IN_THE_CALL
    assert made(text, ignored_rows, tmp_path)[0] == text


@pytest.mark.parametrize(
    ("old", "new"),
    [
        pytest.param("nn.CrossEntropyLoss()", "nn.CrossEntropyLoss(ignore_index=0)", id="a loss with something set"),
        pytest.param("loss = nn", "loss = nn.MSELoss() if x is y else nn", id="a loss made in two ways"),
        pytest.param("    return loss", "    print(labels.sum())\n    return loss", id="a name that is read elsewhere"),
        pytest.param("rows.view(-1, ", "rows.t().reshape(-1, ", id="rows that are mixed"),
    ],
)
def test_near_misses_in_names(old: str, new: str, tmp_path: Path) -> None:
    text = IN_NAMES.replace("labels.view(-1).to(rows.device)", "labels.view(-1)").replace(old, new)
    assert made(text, ignored_rows, tmp_path)[0] == text


@pytest.mark.dynamo
@pytest.mark.parametrize("text", [IN_THE_CALL, IN_NAMES], ids=["call", "names"])
@pytest.mark.parametrize("kind", ["some", "all", "none", "one row", "a label that is ignored already", "a bad label"])
def test_the_same_loss_and_gradients(text: str, kind: str, tmp_path: Path) -> None:
    import torch

    after, _ = made(text, ignored_rows, tmp_path)
    assert after != text
    torch.manual_seed(0)
    shape = (1, 2) if kind == "one row" else (3, 5)
    mask = {"all": torch.ones(shape), "none": torch.zeros(shape)}.get(kind, torch.randn(shape))
    mask[0, 1] = 0 if kind == "none" else 1
    labels = torch.randint(0, 7, shape)
    labels[0, 1] = {"a label that is ignored already": -100, "a bad label": 9}.get(kind, 1)
    alike(text, after, (torch.randn(*shape, 7, requires_grad=True), labels, mask), tmp_path, exactly=False)
