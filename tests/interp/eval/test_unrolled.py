"""Loops of a host over a few known items: each pass sees its own."""

from __future__ import annotations

from tests.support.reveal import check


def test_each_call_in_a_loop_is_a_call_of_its_own() -> None:
    check("""
        def f(x, how):
            if how == "sum":
                reveal_type(how)  # 'sum'
                return x
            reveal_type(how)  # 'mean'

        g = torch.compile(f)
        for x, how in [(torch.randn(3), "sum"), (torch.randn(4), "mean")]:
            g(x, how)
    """)


def test_samples_of_a_factory_are_unpacked_star_by_star() -> None:
    check("""
        class Net(nn.Module):
            def __init__(self, depth):
                super().__init__()
                self.depth = depth

            def forward(self, x, *, scale=1):
                reveal_type(self.depth)  # 2
                reveal_type(scale)  # 3
                return x

        def make():
            return Net(2), [((torch.ones(n),), {"scale": 3}) for n in range(2, 4)]

        net, samples = make()
        fast = torch.compile(net)
        for args, kwargs in samples:
            fast(*args, **kwargs)
    """)


def test_a_loop_that_ends_early_and_one_over_much() -> None:
    check("""
        def f(x, n, m):
            reveal_type(n)  # 0
            reveal_type(m)  # int
            return x

        g = torch.compile(f)
        for n in range(3):
            for m in range(99):
                g(torch.ones(2), n, m)
            break
    """)


def test_a_comprehension_that_leaves_items_out() -> None:
    check("""
        def f(x, rows):
            reveal_type(rows)  # list(1)
            return x

        torch.compile(f)(torch.ones(2), [n for n in (0, 1) if n > 0])
    """)
