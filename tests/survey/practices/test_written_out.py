"""Attention and arithmetic on many tensors that are written out."""

from __future__ import annotations

import pytest

from tests.support.practices import of_kind

_HEAD = "from torch.nn import functional as F\n"


@pytest.mark.parametrize(
    "body",
    [
        "w = q @ k.mT\n    w = w.softmax(-1)\n    return w @ v",
        "return F.softmax(q @ k.mT, -1) @ v",
        "w = torch.einsum('bts,bcs->bct', q, k)\n    w = w + v\n    w = torch.softmax(w.float(), -1).type(w.dtype)\n"
        "    return torch.einsum('bts,bcs->bct', w, v)",
        "s = torch.bmm(q, k)\n    p = F.softmax(s, -1)\n    p = F.dropout(p)\n    o = torch.bmm(p, v)\n    return o",
    ],
)
def test_attention_is_written_out(body: str) -> None:
    assert len(of_kind("attention", f"{_HEAD}def f(q, k, v):\n    {body}")) == 1


@pytest.mark.parametrize(
    "body",
    [
        pytest.param("return F.softmax(q, -1) @ v", id="the weights of a router"),
        pytest.param("return F.softmax(q @ k, -1)", id="the classes of a head"),
        pytest.param("w = q @ k\n    p = F.softmax(q, -1)\n    return w @ v", id="two products, softmax of neither"),
        pytest.param(
            "w = F.softmax(q @ k, -1) @ v\n    return F.scaled_dot_product_attention(q, k, v)", id="for other devices"
        ),
    ],
)
def test_no_attention(body: str) -> None:
    assert of_kind("attention", f"{_HEAD}def f(q, k, v):\n    {body}") == []


@pytest.mark.parametrize(
    ("body", "count"),
    [
        pytest.param("for p, q in zip(a, b):\n        p.mul_(0.9).add_(q, alpha=0.1)", 1, id="an average"),
        pytest.param("for p in a:\n        p.data.add_(p.grad)", 1, id="a step"),
        pytest.param("for p in a:\n        p.copy_(b)", 0, id="a file of weights"),
        pytest.param("for p in a:\n        b.add_(1)", 0, id="a sum"),
        pytest.param("for p in a:\n        p = p.add(1)", 0, id="not in place"),
    ],
)
def test_arithmetic_for_one_tensor_after_the_other(body: str, count: int) -> None:
    assert len(of_kind("tensor loop", f"def f(a, b):\n    {body}")) == count


def test_weights_are_initialized_once() -> None:
    text = "class A:\n    def __init__(self, a):\n        for p in a:\n            p.mul_(2)"
    assert of_kind("tensor loop", text) == []
