"""Loops whose end Dynamo does not see, since a `return` stands before it: each case was run with torch 2.13."""

from __future__ import annotations

from tests.support.worker_messages import check


def test_each_break_before_an_early_return_splits_the_frame() -> None:
    check("""
        def f(x: Tensor, n: int):
            for i in range(n):
                a = x.item()  # call torch.Tensor.item
                b = x.tolist()  # call torch.Tensor.tolist
                if i == 7:
                    return x
                c = x.item()  # call torch.Tensor.item in for
                d = x.tolist()  # call torch.Tensor.tolist in for skipped
            return x
    """)


def test_a_while_loop_is_the_same() -> None:
    check("""
        def f(x: Tensor, n: int):
            while n:
                n -= 1
                a = x.item()  # call torch.Tensor.item
                if n == 7:
                    return x
                b = x.item()  # call torch.Tensor.item in while
    """)


def test_a_jump_back_before_the_return_is_seen() -> None:
    check("""
        def leaves(x: Tensor, n: int):
            for i in range(n):
                a = x.item()  # call torch.Tensor.item in for
                if i == 7:
                    break

        def goes_on(x: Tensor, n: int):
            for i in range(n):
                a = x.item()  # call torch.Tensor.item in for
                if i == 3:
                    continue
                if i == 7:
                    return x
    """)


def test_only_loops_around_the_line_jump_back_over_it() -> None:
    check("""
        def f(x: Tensor, n: int):
            for i in range(n):
                a = x.item()  # call torch.Tensor.item
                for j in range(2):
                    b = x.tolist()  # call torch.Tensor.tolist in for/for
                    if i == 7:
                        continue
                    if j == 8:
                        return x
    """)


def test_a_return_of_a_function_inside_does_not_count() -> None:
    check("""
        def f(x: Tensor, n: int):
            for i in range(n):
                a = x.item()  # call torch.Tensor.item in for

                def inner():
                    return i
    """)


def test_other_blocks_keep_the_frame_whole() -> None:
    check("""
        def f(x: Tensor, n: int):
            for i in range(n):
                try:
                    a = x.item()  # call torch.Tensor.item in try
                except RuntimeError:
                    return x
    """)
