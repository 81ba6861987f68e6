"""What a host makes of Python's own classes, once compiled code gets it."""

from __future__ import annotations

from tests.support.reveal import check


def test_iterators_and_queues_arrive_as_what_they_are() -> None:
    check("""
        import collections
        import itertools

        def f(x, a, b, c, d, e):
            reveal_type(a)  # instance list_iterator
            reveal_type(b)  # instance zip
            reveal_type(c)  # instance itertools.chain
            reveal_type(d)  # instance collections.deque
            reveal_type(e)  # instance generator
            return x

        def rows():
            yield 1

        g = torch.compile(f)
        g(torch.ones(2), iter([1]), zip([1], [2]), itertools.chain([1], [2]), collections.deque([1]), rows())
    """)


def test_the_host_itself_goes_through_them() -> None:
    check("""
        def f(x, i, y):
            reveal_type(i)  # 0
            reveal_type(y)  # 'a'
            return x

        g = torch.compile(f)
        for i, y in enumerate(["a"]):
            for j, z in zip([i], [y]):
                g(torch.ones(2), j, z)
    """)


def test_in_a_region_they_are_walked() -> None:
    check(
        """
        def f(x: Tensor):
            reveal_type(zip([1], [x]))  # rebuilt iterator[tuple(1, tensor input)]
            return x
    """,
        ("all",),
    )
