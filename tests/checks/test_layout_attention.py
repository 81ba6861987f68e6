"""CL401 where it is reported most: heads of attention put back together, in six spellings, and views that have as many
dimensions as can be, in sizes that lie otherwise. Each has a near miss.

Real torch runs every one: what is reported raises there, and what is not reported runs.
"""

from __future__ import annotations

import textwrap

import pytest

from compilelint.checks import rulebook
from compilelint.torchfacts import load
from tests.support.reveal import run

HEAD = """
class Attention(nn.Module):
    def __init__(self, dim=8, heads=2):
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(dim, dim * 3)
        self.conv = nn.Conv2d(4, 6, 3, padding=1)

    def forward(self, x: Tensor):
"""
HEADS = """
b, n, d = x.shape
h = self.heads
q, k, v = self.qkv(x).reshape(b, n, 3, h, d // h).permute(2, 0, 3, 1, 4).unbind(0)
attn = (q @ k.transpose(-2, -1) * 0.5).softmax(dim=-1)
"""
CHUNKED = """
b, n, d = x.size()
q, k, v = (part.view(b, n, self.heads, -1).transpose(1, 2) for part in self.qkv(x).chunk(3, dim=-1))
attn = torch.softmax(torch.matmul(q, k.transpose(-2, -1)), dim=-1)
"""
UNFLATTENED = """
b, n, d = x.shape
q, k, v = self.qkv(x).unflatten(-1, (3, self.heads, -1)).unbind(2)
attn = (q.transpose(1, 2) @ k.transpose(1, 2).transpose(-2, -1)).softmax(-1)
"""
VARIANTS = {
    "matmul": (HEADS, "(attn @ v).transpose(1, 2).view(b, n, d)", "(attn @ v).transpose(1, 2).reshape(b, n, d)"),
    "scaled_dot_product_attention": (
        HEADS + "q, k, v = q.contiguous(), k.contiguous(), v.contiguous()\n",
        "F.scaled_dot_product_attention(q, k, v).transpose(1, 2).view(b, n, d)",
        "F.scaled_dot_product_attention(q.transpose(1, 2).contiguous().transpose(1, 2), k, v)"
        ".transpose(1, 2).view(b, n, d)",
    ),
    "einsum": (
        HEADS,
        "torch.einsum('bhij,bhjd->bihd', attn, v).view(b, n, d)",
        "torch.einsum('bhij,bhjd->bhid', attn, v).view(b, h, -1)",
    ),
    "conv and permute": (
        "b, c, h, w = x.shape",
        "self.conv(x).permute(0, 2, 3, 1).view(b, -1)",
        "self.conv(x).permute(0, 2, 3, 1).view(b, h * w, -1)",
    ),
    "chunk": (
        CHUNKED,
        "torch.matmul(attn, v).permute(0, 2, 1, 3).view(b, n, d)",
        "torch.matmul(attn, v).permute(0, 2, 1, 3).contiguous().view(b, n, d)",
    ),
    "unflatten": (
        UNFLATTENED,
        "(attn @ v.transpose(1, 2)).transpose(1, 2).view(b, n, d)",
        "(attn @ v.transpose(1, 2)).transpose(1, 2).flatten(2)",
    ),
    "channels last": (
        "y = self.conv(x)\nb, c, h, w = y.shape",
        "y.permute(0, 2, 3, 1).view(b, c, h * w)",
        "y.permute(0, 2, 3, 1).view(b, h * w, c)",
    ),
    "channels last, one size left out": (
        "b, _, h, w = x.shape\ny = self.conv(x)\nc = y.size(1)",
        "y.permute(0, 2, 3, 1).view(b, c, -1)",
        "y.permute(0, 2, 3, 1).view(b, -1, c)",
    ),
    "patches": (
        "b, c, h, w = x.shape",
        "x.flatten(2).transpose(1, 2).view(b, c, h, w)",
        "x.flatten(2).transpose(1, 2).transpose(1, 2).view(b, c, h, w)",
    ),
    "merged with the batch": (
        HEADS,
        "(attn @ v).transpose(1, 2).view(b * n, h, -1)",
        "(attn @ v).transpose(1, 2).transpose(1, 2).view(b * h, n, -1)",
    ),
    "a transposed product": (
        "b, n, d = x.shape\ny = self.qkv(x)",
        "y.transpose(1, 2).view(b, n, 3 * d)",
        "y.transpose(1, 2).view(b, 3, d, n)",
    ),
}
CASES = [
    pytest.param(HEAD + textwrap.indent(f"{body}\nreturn {line}\n", " " * 8), wrong, id=f"{name}: {word}")
    for name, (body, bad, good) in VARIANTS.items()
    for line, wrong, word in ((bad, True, "raises"), (good, False, "runs"))
]


@pytest.mark.parametrize(("text", "wrong"), CASES)
def test_it_is_reported_where_it_raises(text: str, wrong: bool) -> None:
    book, facts = rulebook(), load("2.13.0")
    found = [one.rule.code for event in run(text) for one in book.findings_for(event, facts)]
    assert ("CL401" in found) is wrong


@pytest.mark.dynamo
@pytest.mark.parametrize(("text", "wrong"), CASES)
def test_real_torch_agrees(text: str, wrong: bool) -> None:
    import torch

    names = {"torch": torch, "nn": torch.nn, "F": torch.nn.functional, "Tensor": torch.Tensor}
    exec(text, names)
    x = torch.rand(2, 4, 6, 6) if ", h, w = " in text else torch.rand(2, 5, 8)
    if wrong:
        with pytest.raises(RuntimeError, match="view size is not compatible"):
            names["Attention"]()(x)
    else:
        names["Attention"]()(x)
