"""Messages of `torch._check`, as torch 2.13 and 2.15 were seen to treat them."""

from __future__ import annotations

from tests.support.worker_messages import check


def test_messages_that_read_a_tensor() -> None:
    check("""
        def f(x: Tensor):
            top = x * 3
            torch._check(x.shape[0] == 3, lambda: f"needs three: {top}")  # call torch._check
            return top

        def g(x: Tensor):
            torch._check_value(x.shape[0] == 3, lambda: "needs " + str(x.shape))  # call torch._check_value
            return x
    """)


def test_messages_that_dynamo_takes() -> None:
    check("""
        def f(x: Tensor, limit: int):
            count = x.shape[0]
            torch._check(count == 3)
            torch._check(count == 3, lambda: "needs three")
            torch._check(count == 3, lambda: f"needs three, not {count}, below {limit}")
            return x
    """)


def test_a_method_as_message() -> None:
    check("""
        class Net(nn.Module):
            def message(self):
                return "needs three"

            def forward(self, x: Tensor):
                torch._check(x.shape[0] == 3, self.message)  # call torch._check
                return x
    """)
