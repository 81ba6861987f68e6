"""Chunks of attention at once: what is not finite stays in its chunk, as where each is computed alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from compilelint.fixes.rewrites.attention_chunks import chunks_at_once
from tests.fixes.alike import made
from tests.fixes.test_pages_fixed import _function

PROGRAM = """import torch
import torch.nn.functional as F


def f(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, ends: torch.Tensor):
    lengths = ends[1:] - ends[:-1]
    splits = [torch.split(tensor, lengths.tolist(), dim=2) for tensor in (q, k, v)]
    outputs = [F.scaled_dot_product_attention(a, b, c, attn_mask=None) for a, b, c in zip(*splits)]
    return torch.cat(outputs, dim=2)
"""


def test_a_tensor_that_is_given_again_keeps_its_chunks(tmp_path: Path) -> None:
    text = PROGRAM.replace("    outputs", "    k = k * 2\n    outputs")
    assert text != PROGRAM
    assert made(text, chunks_at_once, tmp_path)[0] == text


@pytest.mark.dynamo
@pytest.mark.parametrize("which", ["all", "key", "value", "none"])
@pytest.mark.parametrize("number", [float("nan"), float("inf")])
def test_one_token_ruins_its_chunk_and_no_other(which: str, number: float, tmp_path: Path) -> None:
    import torch

    after, _ = made(PROGRAM, chunks_at_once, tmp_path)
    torch._dynamo.reset()
    eager = _function(after, tmp_path / "after.py")
    compiled = torch.compile(eager, backend="eager")
    torch.manual_seed(0)
    given = {name: torch.randn(1, 2, 9, 4) for name in ("query", "key", "value")}
    for name, tensor in given.items():
        if which in (name, "all"):
            tensor[:, :, 4] = number
    args = (*given.values(), torch.tensor([0, 2, 6, 9]))
    wanted, got = eager(*args), compiled(*args)
    torch.testing.assert_close(got[:, :, :2], wanted[:, :, :2])
    torch.testing.assert_close(got[:, :, 6:], wanted[:, :, 6:])
    if number != float("inf"):
        torch.testing.assert_close(got, wanted, equal_nan=True)
