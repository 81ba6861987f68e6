"""How an `assert` comes out that a tensor decides. Run under torch 2.13."""

from __future__ import annotations

from tests.support.worker_messages import check


def test_not_is_a_jump_and_the_rest_of_the_frame_is_compiled() -> None:
    check("""
        def f(x: Tensor):
            assert not x.any(), "a"  # branch assert
            assert not x.all()  # branch assert
            y = not x.any()  # branch not
            return x.add(y)
    """)


def test_not_of_a_number_is_decided() -> None:
    check("""
        def f(x: Tensor):
            assert not x.ndim > 3, "a"
            assert not x.shape[0], "b"
            return x
    """)
