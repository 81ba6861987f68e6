"""Functions of the program that are called with arguments which they do not take."""

from __future__ import annotations

import pytest

from tests.support.worker_messages import check


@pytest.mark.parametrize("call", ["pair(x)", "pair(x, x, x)", "pair(x, c=x)", "pair(x, a=x)"])
def test_ends_the_frame_where_the_program_catches_the_error(call: str) -> None:
    check(f"""
        def pair(a, b):
            return a + b

        def f(x: Tensor):
            try:
                return {call}  # syntax pair() in try
            except TypeError:
                return x

        def fails_anyway(x: Tensor):
            return {call}
    """)


@pytest.mark.parametrize("call", ["pair(x, x)", "pair(x, b=x)", "pair(*xs)", "pair(x, **options)", "spread(x, x, c=1)"])
def test_says_nothing_where_the_call_may_be_right(call: str) -> None:
    check(f"""
        def pair(a, b):
            return a + b

        def spread(*args, **kwargs):
            return args[0]

        def f(x: Tensor, xs, options):
            try:
                return {call}
            except TypeError:
                return x
    """)
