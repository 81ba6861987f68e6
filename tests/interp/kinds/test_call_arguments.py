"""How arguments are read off a call, under torch's names and under NumPy's."""

from __future__ import annotations

import pytest

from tests.support.reveal import check


@pytest.mark.parametrize(
    "line",
    [
        "p.sum(0))  # tensor float 1-d computed",
        "p.sum(dim=0))  # tensor float 1-d computed",
        "p.sum(axis=0))  # tensor float 1-d computed",
        "p.sum(0, True))  # tensor float 2-d computed",
        "p.sum(0, keepdim=True))  # tensor float 2-d computed",
        "p.sum(axis=0, keepdims=True))  # tensor float 2-d computed",
        "p.sum(0, keepdim=False))  # tensor float 1-d computed",
        "p.sum(axis=0, keepdims=False))  # tensor float 1-d computed",
        "p.sum(dim=None))  # tensor float 0-d computed",
        "p.sum())  # tensor float 0-d computed",
        "p.sum((0, 1)))  # tensor float 0-d computed",
        "p.cumsum(0))  # tensor float 2-d computed",
        "(p > 0).cumsum(0))  # tensor int 2-d computed",
        "p.cumprod(0))  # tensor float 2-d computed",
        "torch.zeros(3))  # tensor float 1-d computed",
        "torch.zeros(3, dtype=torch.int64))  # tensor int 1-d computed",
        "torch.zeros(2, 3, dtype=torch.bool))  # tensor bool 2-d computed",
        "torch.randint(3, (2,)))  # tensor int 1-d computed",
        "torch.randint(3, (2,), dtype=torch.float32))  # tensor float 1-d computed",
        "torch.full((2,), 3))  # tensor int 1-d computed",
        "torch.full((2,), 3.0))  # tensor float 1-d computed",
        "torch.full((2,), 3, dtype=torch.float32))  # tensor float 1-d computed",
        "torch.arange(3))  # tensor int 1-d computed",
        "torch.arange(0, 1, 0.1))  # tensor float 1-d computed",
    ],
)
def test_dimensions_and_dtypes(line: str) -> None:
    check(f"""
        def f(x: Tensor):
            p = torch.zeros(2, 3)
            reveal_type({line}
    """)
