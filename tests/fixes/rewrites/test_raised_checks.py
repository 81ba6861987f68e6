"""Checks that raise for what a tensor holds raise the same while compiling, through an operator."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from compilelint.fixes.rewrites.raised_checks import raised_by_an_operator
from tests.fixes.alike import made
from tests.fixes.test_pages_fixed import _function

BOXES = """import torch


def f(boxes: torch.Tensor, scale: torch.Tensor):
    boxes = boxes * scale
    if not (boxes[:, 2:] >= boxes[:, :2]).all():
        raise ValueError(f"boxes must be corners, but got {boxes}")
    return (boxes * 2).sum()
"""
ROWS = """import torch
from torch import nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.most = 3

    def forward(self, x, labels=None):
        rows = x.shape[0]
        if labels is not None and labels.max() >= self.most:
            raise IndexError(f"self.most is {self.most}, of {rows} rows: {{}}")
        return x if labels is None else x + labels.sum()
"""


def test_eager_code_keeps_its_check_and_compiled_code_calls_an_operator(tmp_path: Path) -> None:
    after, unmet = made(BOXES, raised_by_an_operator, tmp_path)
    assert "    if torch.compiler.is_compiling():\n        _check_f(boxes)\n    elif not (boxes[:, 2:] >=" in after
    assert 'schema="(Tensor boxes) -> ()"' in after
    assert unmet, "only a run shows what the check is given"


@pytest.mark.parametrize("sizes", ["rows = x.shape[0]", "rows, _ = x.shape", "rows, _ = x.size()"])
def test_numbers_of_the_module_and_sizes_are_parameters(tmp_path: Path, sizes: str) -> None:
    after, _ = made(ROWS.replace("rows = x.shape[0]", sizes), raised_by_an_operator, tmp_path)
    assert "_check_forward(labels, rows, self.most)" in after
    assert 'schema="(Tensor? labels, SymInt rows, Scalar most) -> ()"' in after
    assert "if labels is not None and labels.max() >= most:" in after
    assert "self.most is {most}" in after, "only what is read is a parameter, not the words of a text"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        pytest.param("    return", "    else:\n        boxes = boxes + 1\n    return", id="another arm"),
        pytest.param("raise ValueError", "boxes = boxes * 0\n        raise ValueError", id="more than raising"),
        pytest.param("{boxes}", "{boxes.pop()}", id="a message with effects"),
        pytest.param('{boxes}")', '{boxes}") from None', id="a cause"),
        pytest.param("not (boxes", "not check(boxes", id="a function that is called"),
        pytest.param(".all():", ".all() and limit:", id="a name from elsewhere"),
    ],
)
def test_near_misses(old: str, new: str, tmp_path: Path) -> None:
    text = BOXES.replace(old, new)
    assert text != BOXES
    assert made(text, raised_by_an_operator, tmp_path)[0] == text


@pytest.mark.dynamo
@pytest.mark.parametrize("backend", ["eager", "aot_eager"])
@pytest.mark.parametrize("graded", [True, False])
def test_the_same_error_out_of_one_graph(backend: str, graded: bool, tmp_path: Path) -> None:
    """Under `aot_eager` an operator without an effect would be gone as dead code."""
    import torch

    after, _ = made(BOXES, raised_by_an_operator, tmp_path)
    after = after.replace('"model::', f'"raised_{backend}_{graded}::')
    torch._dynamo.reset()
    eager = _function(after, tmp_path / "after.py")
    compiled = torch.compile(eager, backend=backend, fullgraph=True)
    boxes = torch.tensor([[0.0, 0.0, 1.0, 1.0]])
    scale = torch.ones(4, requires_grad=graded)
    assert compiled(boxes, scale) == eager(boxes, scale) == 4
    for run in (eager, compiled):
        with pytest.raises(ValueError, match="boxes must be corners, but got tensor"):
            run(-boxes, scale)


@pytest.mark.dynamo
@pytest.mark.parametrize("labels", [None, [0, 2], [0, 3]])
def test_what_may_be_none(labels: list[int] | None, tmp_path: Path) -> None:
    import torch

    text = f"{ROWS}\n\nf = Model()\n"
    after, _ = made(text, raised_by_an_operator, tmp_path)
    after = after.replace('"model::', f'"raised_rows_{len(labels or ())}_{(labels or [0])[-1]}::')
    torch._dynamo.reset()
    args = (torch.ones(2, 2), None if labels is None else torch.tensor(labels))
    eager = _function(after, tmp_path / "after.py")

    def outcome(function: Any) -> Any:
        try:
            return function(*args).tolist()
        except IndexError as error:
            return str(error)

    wanted = outcome(_function(text, tmp_path / "before.py"))
    assert outcome(eager) == outcome(torch.compile(eager, backend="eager", fullgraph=True)) == wanted
