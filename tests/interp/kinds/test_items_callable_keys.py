"""Dicts under functions, classes and dtypes: looked up, looped over, asked with `get`."""

from __future__ import annotations

from tests.support.reveal import check as believes
from tests.support.worker_messages import check


def test_an_entry_is_found_by_what_its_key_is() -> None:
    believes("""
        def one(x):
            return x

        TABLE = {nn.ReLU: 1, one: "a", torch.float16: 2.0}

        def f(x: Tensor, which):
            reveal_type(TABLE[nn.ReLU])  # 1
            reveal_type(TABLE[one])  # 'a'
            reveal_type(TABLE.get(torch.float16))  # 2.0
    """)


def test_functions_as_keys_are_compiled_and_called() -> None:
    check(
        """
        CASES = {lambda x: x.t_(): torch.rand(2, 3),  # call torch.Tensor.t_
                 lambda x: x.resize_(6): torch.ones(4)}  # call torch.Tensor.resize_

        for function, given in CASES.items():
            torch.compile(function)(given)
        """,
        roots=("explicit",),
    )
