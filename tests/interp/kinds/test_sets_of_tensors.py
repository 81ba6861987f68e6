"""Sets of tensors as arguments of what is compiled."""

from __future__ import annotations

from tests.support.worker_messages import check


def test_the_first_use_of_the_argument_leaves_the_frame() -> None:
    check("""
        def total(x: Tensor, rows: set[Tensor]):
            y = x + 1
            return y + len(rows)  # syntax a set of tensors as argument `rows`

        def unused(x: Tensor, rows: set[Tensor]):
            return x + 1

        def listed(x: Tensor, rows: list[Tensor]):
            return x + len(rows)

        def made(x: Tensor):
            rows = {x, x + 1}
            return x + len(rows)
    """)


def test_one_that_a_global_or_an_attribute_holds() -> None:
    check("""
        PARTS = {torch.ones(3)}
        NAMES = {"a"}

        class Model(nn.Module):
            def __init__(self):
                super().__init__()
                self.parts = {torch.ones(3)}
                self.rows = [torch.ones(3)]

            def forward(self, x: Tensor):
                return x * len(self.parts)  # syntax a set of tensors from outside

            def listed(self, x: Tensor):
                return x * len(self.rows)

        def walked(x: Tensor):
            for part in PARTS:  # syntax a set of tensors from outside
                x = x + part
            return x

        def named(x: Tensor):
            return x * len(NAMES)
    """)
