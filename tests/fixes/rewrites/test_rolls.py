"""A roll by a number that is read from a tensor becomes a selection, element for element the same."""

from __future__ import annotations

from pathlib import Path

import pytest

from compilelint.fixes.rewrites.rolls import selected_by_indices
from tests.fixes.alike import alike, made

PROGRAM = """import torch


def f(x: torch.Tensor, scores: torch.Tensor):
    index = torch.topk(scores, 2)[1]
    {statement}
    return y * 2
"""
BACK = "y = torch.roll(x, -int(index[1]), -1)"


@pytest.mark.parametrize(
    ("statement", "wanted", "lawful"),
    [
        pytest.param(
            BACK,
            "rolled = torch.arange(x.shape[-1], device=x.device) + index[1].reshape(())\n"
            "    y = x.index_select(-1, rolled % x.shape[-1])",
            False,
            id="back, with the error of `int` only a run excludes",
        ),
        pytest.param(
            "y = x.roll(shifts=index[0].item(), dims=1)",
            "rolled = torch.arange(x.shape[1], device=x.device) - index[0].reshape(())\n"
            "    y = x.index_select(1, rolled % x.shape[1])",
            True,
            id="forth, as a method",
        ),
        pytest.param("y = torch.roll(x, -int(index[1]))", "", False, id="near miss: all dimensions as one"),
        pytest.param("y = torch.roll(x, (int(index[1]), 1), (0, 1))", "", False, id="near miss: two shifts"),
        pytest.param("y = x + torch.roll(x, -int(index[1]), -1)", "", False, id="near miss: a part of a statement"),
        pytest.param("y = torch.roll(x * 2, -int(index[1]), -1)", "", False, id="near miss: computed twice"),
        pytest.param("y = torch.roll(x, -int(index[1]) + 1, -1)", "", False, id="near miss: more than the number"),
        pytest.param(
            "rolled = 1\n    y = torch.roll(x, -int(index[1]), -1) + rolled",
            "",
            False,
            id="near miss: the name is taken",
        ),
    ],
)
def test_one_shift_in_one_dimension_is_selected(statement: str, wanted: str, lawful: bool, tmp_path: Path) -> None:
    text = PROGRAM.format(statement=statement)
    after, unmet = made(text, selected_by_indices, tmp_path)
    assert after == (PROGRAM.format(statement=wanted) if wanted else text)
    assert (not unmet) == lawful or not wanted


def test_a_list_that_is_indexed_is_no_tensor(tmp_path: Path) -> None:
    text = PROGRAM.format(statement=BACK).replace("torch.topk(scores, 2)[1]", "list(scores)")
    assert made(text, selected_by_indices, tmp_path)[1] or made(text, selected_by_indices, tmp_path)[0] == text


@pytest.mark.dynamo
@pytest.mark.parametrize("length", [1, 3, 4], ids=str)
@pytest.mark.parametrize("statement", [BACK, "y = x.roll(shifts=index[0].item(), dims=1)"])
def test_the_same_elements_and_gradients(statement: str, length: int, tmp_path: Path) -> None:
    import torch

    text = PROGRAM.format(statement=statement)
    after, _ = made(text, selected_by_indices, tmp_path)
    assert after != text
    torch.manual_seed(0)
    x = torch.randn(2, length)
    x[0, 0] = float("nan")
    for rows in (x, x[:0]):
        alike(text, after, (rows.clone().requires_grad_(), torch.randn(7)), tmp_path)


@pytest.mark.dynamo
def test_more_than_one_element_raises_as_before(tmp_path: Path) -> None:
    import torch

    text = PROGRAM.format(statement=BACK.replace("int(index[1])", "index[1].item()"))
    text = text.replace("scores, 2)", "scores, 2, 0)")
    after, _ = made(text, selected_by_indices, tmp_path)
    assert ".reshape(())" in after
    alike(text, after, (torch.randn(2, 5), torch.randn(7, 3)), tmp_path)
    alike(text, after, (torch.randn(2, 5), torch.randn(7)), tmp_path)
