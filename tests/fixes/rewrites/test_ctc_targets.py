"""What a mask picks for a CTC loss becomes rows with what is picked in front: the same loss and gradients."""

from __future__ import annotations

from pathlib import Path

import pytest

from compilelint.fixes.rewrites.ctc_targets import padded_targets
from tests.fixes.alike import made, outcome
from tests.fixes.test_pages_fixed import _function

PICKED = """import torch
from torch import nn


def f(scores: torch.Tensor, labels: torch.Tensor, times: torch.Tensor):
    mask = (labels != -100) & (labels != 0)
    lengths = mask.sum(-1)
    targets = labels.masked_select(mask)
    log_probs = nn.functional.log_softmax(scores, dim=-1).transpose(0, 1)
    return nn.functional.ctc_loss(log_probs, targets, times, lengths, blank=0, reduction="sum")
"""
INDEXED = PICKED.replace("labels.masked_select(mask)", "labels[mask]").replace(
    "log_probs, targets, times, lengths", "log_probs, targets, times, target_lengths=mask.sum(dim=1)"
)
LAYER = """import torch
from torch import nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.loss = nn.CTCLoss(blank=0)

    def forward(self, log_probs: torch.Tensor, labels: torch.Tensor, times: torch.Tensor):
        mask = labels > 0
        targets = labels.masked_select(mask)
        return self.loss(log_probs, targets, times, mask.sum(-1))
"""


@pytest.mark.parametrize("text", [PICKED, INDEXED, LAYER], ids=["selected", "indexed", "a layer"])
def test_targets_stay_in_their_rows(text: str, tmp_path: Path) -> None:
    after, unmet = made(text, padded_targets, tmp_path)
    assert "targets = labels.gather(-1, (~mask).sort(dim=-1, stable=True).indices)" in after
    assert unmet, "labels of one dimension are only seen in a run"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        pytest.param("mask.sum(-1)", "mask.sum(0)", id="lengths of columns"),
        pytest.param("mask.sum(-1)", "mask.sum()", id="one length"),
        pytest.param("mask.sum(-1)", "(labels > 0).sum(-1)", id="lengths of another mask"),
        pytest.param("mask.sum(-1)", "mask.sum(-1, keepdim=True)", id="lengths of two dimensions"),
        pytest.param("targets, times, lengths", "targets, times, times", id="other lengths"),
        pytest.param("ctc_loss(log_probs, targets", "ctc_loss(targets, log_probs", id="targets elsewhere"),
        pytest.param("    return", "    print(targets)\n    return", id="targets that are read elsewhere"),
        pytest.param("    targets =", "    mask = mask | (labels > 3)\n    targets =", id="a mask that is bound again"),
        pytest.param("nn.functional.ctc_loss(", "other_loss(", id="another loss"),
    ],
)
def test_near_misses(old: str, new: str, tmp_path: Path) -> None:
    text = PICKED.replace(old, new)
    assert text != PICKED
    assert made(text, padded_targets, tmp_path)[0] == text


@pytest.mark.dynamo
@pytest.mark.parametrize("text", [PICKED, INDEXED], ids=["selected", "indexed"])
@pytest.mark.parametrize(
    "rows",
    [
        pytest.param([[1, 2, -100], [3, 0, 0]], id="picked in front"),
        pytest.param([[-100, 2, 1], [0, 3, 3]], id="picked behind"),
        pytest.param([[0, 0, 0], [1, -100, 2]], id="a row without targets"),
        pytest.param([[-100, -100, -100], [0, 0, 0]], id="no targets"),
        pytest.param([[1, 2, 3], [3, 2, 1]], id="all are picked"),
        pytest.param([[5, 5, 5], [5, 5, 5]], id="too long for the scores"),
    ],
)
def test_the_same_loss_and_gradients(text: str, rows: list[list[int]], tmp_path: Path) -> None:
    import torch

    after, _ = made(text, padded_targets, tmp_path)
    torch.manual_seed(0)
    args = torch.randn(2, 4, 6, requires_grad=True), torch.tensor(rows), torch.tensor([4, 3])
    wanted = outcome(_function(text, tmp_path / "before.py"), args)
    got = outcome(_function(after, tmp_path / "after.py"), args)
    assert got[0] == wanted[0] == ""
    for one, other in zip(got[1], wanted[1], strict=True):
        torch.testing.assert_close(one, other, rtol=0, atol=0, equal_nan=True)


@pytest.mark.dynamo
def test_it_is_captured_up_to_the_loss(tmp_path: Path) -> None:
    import torch

    text = PICKED.replace("    return nn.functional.ctc_loss", "    return torch.as_tensor(0), nn.functional.ctc_loss")
    after, _ = made(text, padded_targets, tmp_path)
    labels = torch.tensor([[1, 0, 2]])
    counts: list[int] = []
    for program in (text, after):
        torch._dynamo.reset()
        function = _function(program, tmp_path / f"text{len(counts)}.py")
        explained = torch._dynamo.explain(function)(torch.randn(1, 4, 6), labels, torch.tensor([4]))
        counts.append(len(explained.break_reasons))
    assert counts[1] < counts[0]
