"""Subclasses of tensors made in the region. Run under torch 2.13."""

from __future__ import annotations

from tests.support.worker_messages import check


def test_a_wrapper_made_by_new() -> None:
    check(
        """
        class Wrapped(torch.Tensor):
            @staticmethod
            def __new__(cls, data, scale):
                return torch.Tensor._make_wrapper_subclass(cls, data.shape)  # syntax _make_wrapper_subclass()

            def __init__(self, data, scale):
                self.data_ = data

        def f(x: Tensor):
            return Wrapped(x, x.sum())
        """,
        roots=("all",),
    )


def test_a_new_of_another_class_is_not_entered() -> None:
    check("""
        class Plain:
            def __new__(cls, x):
                print(x)
                return super().__new__(cls)

        def f(x: Tensor):
            made = Plain(x)
            return x + 1
    """)
