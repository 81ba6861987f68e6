"""What guards ask of views, of closures of one function and of tests of numbers (each run under Dynamo 2.13)."""

from __future__ import annotations

import pytest

from tests.host.test_run import found

STRIDE = [("input", "stride", "x")]
MAKE = """
def make(k, j=0):
    @torch.compile(backend="eager")
    def step(x): return x[:k]
    return step
fast(torch.ones(2, 4))
"""
COIN = """
import random
@torch.compile(backend="eager")
def step(x, flip): return x.flip(0) if flip else x
fast(torch.ones(2, 4))
"""


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        pytest.param("y = torch.ones(8, 4)\nfast(y[:4])\nfast(y[::2])", STRIDE, id="every second row"),
        pytest.param("y = torch.ones(8, 4)\nfast(y[:4])\nfast(y[4:])", [], id="two halves by rows"),
        pytest.param("y = torch.ones(4, 8)\nfast(y[:, :4])\nfast(torch.ones(4, 4))", STRIDE, id="cut by columns"),
        pytest.param("y = torch.ones(4, 8)\nfast(y[:, :4])\nfast(y[:, 4:])", [], id="two halves by columns"),
        pytest.param("y = torch.ones(4, 8)\nfor z in y.chunk(2, 1): fast(z)", [], id="chunks of columns"),
        pytest.param("y = torch.ones(4, 8)\nfast(y.chunk(2, 1)[0])\nfast(torch.ones(4, 4))", STRIDE, id="one chunk"),
        pytest.param("fast(torch.ones(4, 8).narrow(1, 0, 4))\nfast(torch.ones(4, 4))", STRIDE, id="narrowed"),
        pytest.param(
            "y = torch.ones(4, 8)\nfast(y[:, :4].contiguous())\nfast(torch.ones(4, 4))", [], id="contiguous again"
        ),
        pytest.param("y = torch.ones(4, 8)\nfast(y[:, :4] + 1)\nfast(torch.ones(4, 4))", [], id="computed with"),
        pytest.param(
            "for n in (6, 8): fast(torch.ones(1, n)[:, :4].contiguous())", STRIDE, id="a batch of one stays as it is"
        ),
        pytest.param(
            "y = torch.ones(3, 4, 4)\nfast(y[0])\nfast(y[1])\nfast(torch.ones(4, 4))", [], id="one item of a batch"
        ),
        pytest.param(
            "y = torch.ones(4, 4, 3)\nfast(y[..., 0])\nfast(torch.ones(4, 4))", STRIDE, id="one channel of the last"
        ),
        pytest.param("y = torch.ones(8, 4)\nfast(y[[0, 2]])\nfast(torch.ones(2, 4))", [], id="rows are picked"),
        pytest.param("y = torch.ones(4)\nfast(y[None])\nfast(torch.ones(1, 4))", [], id="a new dimension"),
        pytest.param(
            MAKE + "for k in (2, 3): make(k)(torch.ones(4))",
            [("instance", "value", "k")],
            id="closures of one function",
        ),
        pytest.param(MAKE + "for j in (2, 3): make(2, j)(torch.ones(4))", [], id="closures that are alike"),
        pytest.param(
            COIN + "for _ in range(9): step(torch.ones(2), random.random() < 0.5)",
            [("input", "value", "flip")],
            id="a coin decides",
        ),
        pytest.param(COIN + "for _ in range(2): step(torch.ones(2), random.random() is None)", [], id="no coin at all"),
    ],
)
def test_calls_that_compile_again(source: str, expected: list[tuple[str, str, str]]) -> None:
    assert found(source) == expected
