"""Context managers of the program: one that was made outside is not known before torch 2.15."""

from __future__ import annotations

from tests.support.worker_messages import check


def test_a_manager_from_outside() -> None:
    check("""
        class Scoped:
            def __enter__(self):
                return 2

            def __exit__(self, *error):
                return False

        SCOPED = Scoped()

        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.scoped = Scoped()

            def forward(self, x: Tensor):
                with self.scoped as n:  # syntax with
                    x = x * n
                with Scoped() as n:
                    return x * n

        def f(x: Tensor):
            with SCOPED as n:  # syntax with
                return x * n
    """)
