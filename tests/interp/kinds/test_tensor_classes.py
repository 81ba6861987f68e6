"""Tensors of classes of the program."""

from __future__ import annotations

from tests.support.worker_messages import check


def test_what_their_attributes_come_to() -> None:
    check("""
        class Plain(torch.Tensor):
            pass

        class Own(torch.Tensor):
            ndim = 7

            def rows(self):
                return self.shape[0]

        def base(x):
            return x * 2 if (x + 1)._base is None else x  # attribute torch.Tensor._base

        def replaced(x):
            return x * x.ndim  # attribute torch.Tensor.ndim

        def plain(x):
            return x * x.ndim

        def method(x):
            return x * x.rows()

        torch.compile(base)(torch.randn(3).as_subclass(Plain))
        torch.compile(replaced)(torch.randn(3).as_subclass(Own))
        torch.compile(plain)(torch.randn(3).as_subclass(Plain))
        torch.compile(method)(torch.randn(3).as_subclass(Own))
    """)
