"""`tensor.data = other`: a table of values, and whether Dynamo (torch 2.13 and 2.15) takes them."""

from __future__ import annotations

import pytest

from tests.support.worker_messages import check


@pytest.mark.parametrize(
    "value", ["x.data.half()", "x.double()", "x.long()", "x.to(torch.float64)", "x.to(dtype=torch.half)"]
)
def test_another_dtype_ends_the_graph(value: str) -> None:
    check(f"""
        def f(x: Tensor):
            x.data = {value}  # attribute torch.Tensor.data
            return x + 1
    """)


@pytest.mark.parametrize("value", ["x.data * 2", "x.data.float()", "torch.zeros(3)", "x.to(torch.float32)"])
def test_the_same_dtype_does_not(value: str) -> None:
    check(f"""
        def f(x: Tensor):
            x.data = {value}
            return x + 1
    """)
