"""A CTC loss is an operator while compiling: the same loss, gradients and errors, in one graph."""

from __future__ import annotations

from pathlib import Path

import pytest

from compilelint.fixes.rewrites.ctc_losses import loss_as_operator
from tests.fixes.alike import made
from tests.fixes.test_pages_fixed import _function

NATIVE = """import torch
from torch import nn


def f(scores: torch.Tensor, labels: torch.Tensor, times: torch.Tensor):
    lengths = (labels != 0).sum(-1)
    log_probs = nn.functional.log_softmax(scores, dim=-1).transpose(0, 1)
    with torch.backends.cudnn.flags(enabled=False):
        loss = nn.functional.ctc_loss(log_probs, labels, times, lengths, reduction="mean")
    return loss * 2
"""
LAYER = """import torch
from torch import nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.loss = nn.CTCLoss(reduction="sum", zero_infinity=True)

    def forward(self, scores: torch.Tensor, labels: torch.Tensor, times: torch.Tensor):
        lengths = (labels != 0).sum(-1)
        return self.loss(scores.log_softmax(-1).transpose(0, 1), labels, times, lengths)


f = Model()
"""


def test_eager_code_keeps_its_switch(tmp_path: Path) -> None:
    after, unmet = made(NATIVE, loss_as_operator, tmp_path)
    block = NATIVE.split("\n")[7:9]
    assert "\n".join(f"    {line}" for line in block) in after
    assert '        loss = _native_ctc_loss(log_probs, labels, times, lengths, reduction="mean")\n    else:' in after
    assert unmet


def test_a_layer_gives_its_settings(tmp_path: Path) -> None:
    after, _ = made(LAYER, loss_as_operator, tmp_path)
    assert "blank=self.loss.blank, reduction=self.loss.reduction, zero_infinity=self.loss.zero_infinity)" in after
    assert "cudnn" not in after


@pytest.mark.parametrize(
    ("old", "new"),
    [
        pytest.param("enabled=False", "enabled=True", id="cuDNN is asked for"),
        pytest.param("enabled=False", "benchmark=False", id="another switch"),
        pytest.param("loss = nn", "labels = labels + 1\n        loss = nn", id="more stands under the switch"),
        pytest.param("ctc_loss(log_probs", "nll_loss(log_probs", id="another loss"),
        pytest.param("(log_probs, labels, times, lengths", "(*(log_probs, labels, times, lengths)", id="a starred one"),
        pytest.param("False):", "False) as old:", id="a name for what the switch gives"),
    ],
)
def test_near_misses(old: str, new: str, tmp_path: Path) -> None:
    text = NATIVE.replace(old, new)
    assert text != NATIVE
    assert made(text, loss_as_operator, tmp_path)[0] == text


@pytest.mark.dynamo
@pytest.mark.parametrize("text", [NATIVE, NATIVE.replace("mean", "none"), LAYER], ids=["mean", "none", "a layer"])
@pytest.mark.parametrize(
    "rows",
    [
        pytest.param([[1, 2, 0], [3, 1, 2]], id="targets"),
        pytest.param([[0, 0, 0], [1, 0, 2]], id="a row without targets"),
        pytest.param([[5, 5, 5], [5, 5, 5]], id="too long for the scores"),
    ],
)
def test_the_same_loss_and_gradients_in_one_graph(text: str, rows: list[list[int]], tmp_path: Path) -> None:
    import torch

    after, _ = made(text, loss_as_operator, tmp_path)
    after = after.replace('"model::', f'"ctc_{abs(hash(str(tmp_path)))}::')
    torch._dynamo.reset()
    compiled = torch.compile(_function(after, tmp_path / "after.py"), backend="aot_eager", fullgraph=True)
    torch.manual_seed(0)
    scores = torch.randn(2, 4, 6)
    found = []
    for run in (_function(text, tmp_path / "before.py"), compiled):
        given = scores.clone().requires_grad_()
        loss = run(given, torch.tensor(rows), torch.tensor([4, 3]))
        loss.sum().backward()
        found.append((loss.detach(), given.grad))
    torch.testing.assert_close(found[1], found[0], rtol=0, atol=0, equal_nan=True)


@pytest.mark.dynamo
def test_the_same_error(tmp_path: Path) -> None:
    import torch

    after, _ = made(NATIVE, loss_as_operator, tmp_path)
    after = after.replace('"model::', '"ctc_error::')
    torch._dynamo.reset()
    args = torch.randn(2, 4, 6), torch.tensor([[1, 2], [1, 2]]), torch.tensor([9, 9])
    eager = _function(after, tmp_path / "after.py")
    for run in (eager, torch.compile(eager, backend="aot_eager", fullgraph=True)):
        with pytest.raises(RuntimeError, match="Expected input_lengths to have value at most 4"):
            run(*args)
