"""Objects as keys of a table."""

from __future__ import annotations

from tests.support.worker_messages import check


def test_what_a_dict_from_outside_does_not_find() -> None:
    check("""
        import datetime

        class Key:
            def __hash__(self):
                return 1

        class Plain:
            pass

        def price(x, key, table):
            return x * table[key]  # syntax dict[object]

        def made(x, key):
            return x * {key: 2.0}[key]

        def known(x, key, table):
            return x * table[key]

        day = datetime.date(2020, 1, 1)
        torch.compile(price)(torch.ones(2), day, {day: 2.0})
        torch.compile(made)(torch.ones(2), day)
        torch.compile(known)(torch.ones(2), Plain(), {1: 2.0})
    """)


def test_an_alias_is_hashed_nowhere() -> None:
    check("""
        def f(x, kind, table):
            return x * table[kind]  # syntax dict[list[int]]

        def g(x, kind, table):
            return x if kind in table else x * 2  # syntax list[int] in table

        torch.compile(f)(torch.ones(2), list[int], {list[int]: 2.0})
        torch.compile(g)(torch.ones(2), list[int], {list[int]: 2.0})
    """)
