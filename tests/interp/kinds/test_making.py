"""Where a tensor is made: on the host, on the device that is asked for, or where the tensor lies that it is made of."""

from __future__ import annotations

from tests.support.reveal import check


def test_of_numbers_on_the_host() -> None:
    check("""
        def f(x: Tensor):
            reveal_type(torch.as_tensor([1.0]))  # tensor float 1-d literal cpu
            reveal_type(torch.tensor(2))  # tensor int 0-d literal cpu
    """)


def test_of_a_tensor_where_that_lies() -> None:
    check("""
        def f(x: Tensor):
            reveal_type(torch.as_tensor(x))  # tensor computed
            reveal_type(torch.as_tensor(x.cuda()))  # tensor computed cuda
            reveal_type(torch.as_tensor(x.cuda(), device="cpu"))  # tensor computed cpu
    """)


def test_of_something_unknown_which_may_be_a_tensor() -> None:
    check("""
        def f(x: Tensor, thing):
            reveal_type(torch.as_tensor(thing))  # tensor literal
            return x.to(torch.as_tensor(thing).device)
    """)
