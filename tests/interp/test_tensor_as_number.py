"""A tensor where a number or a size is wanted."""

from __future__ import annotations

from tests.support.worker_messages import check


def test_sizes_and_bounds() -> None:
    check("""
        def f(x: Tensor, i: torch.LongTensor):
            n = i.max()
            a = torch.arange(n)  # call torch.arange
            b = torch.zeros(x.shape[0], 2)
            c = torch.zeros(i.sum(), 2)  # call torch.zeros
            d = x.view(-1, 2)
            e = torch.full((2,), i.sum())
    """)
