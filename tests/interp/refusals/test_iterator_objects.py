"""Iterators, generators and views, used as objects."""

from __future__ import annotations

from tests.support.worker_messages import check


def test_two_of_them_are_not_compared() -> None:
    check("""
        def gen():
            yield 1

        def f(x: Tensor):
            return x * 2 if zip([1], [2]) == zip([1], [2]) else x  # syntax iterator == iterator

        def g(x: Tensor):
            return x * 2 if gen() != 1 else x  # syntax generator != ...

        def h(x: Tensor, a: dict[str, int], b: dict[str, int]):
            return x * 2 if a.values() == b.values() else x  # syntax dict.values() == dict.values()

        def closures(x: Tensor):
            def first():
                return x

            def second():
                return x

            return x * 2 if first == second else x  # syntax function == function

        def near(x: Tensor, a: dict[str, int], b: dict[str, int]):
            rows = zip([1], [2])
            if rows == rows or rows == None or a.keys() == b.keys():
                return x
            return x * 2
    """)


def test_what_they_say_of_themselves() -> None:
    check("""
        def gen():
            yield 1

        def f(x: Tensor):
            return x * len(repr(gen()))  # syntax repr of an iterator

        def g(x: Tensor):
            return x * 2 if gen().gi_running else x  # syntax generator.gi_running

        def h(x: Tensor):
            return x * len(repr(iter([1]))) if gen().gi_code is not None else x
    """)
