"""Buffers are objects of a measured kind, wherever they are made."""

from __future__ import annotations

from tests.support.worker_messages import check


def test_buffers_wherever_they_are_made() -> None:
    check("""
        HELD = bytearray(b"ab")

        def f(x: Tensor):
            return x * HELD[0]  # syntax bytearray[...]

        def g(x: Tensor):
            return x * len(b"ab")
    """)
