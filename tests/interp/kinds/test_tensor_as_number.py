"""A tensor where a number or a size is wanted."""

from __future__ import annotations

import pytest

from tests.support.worker_messages import check


def test_sizes_and_bounds() -> None:
    check("""
        def f(x: Tensor, i: torch.LongTensor):
            n = i.max()
            a = torch.arange(n)  # call torch.arange
            b = torch.zeros(x.shape[0], 2)
            c = torch.zeros(i.sum(), 2)  # call torch.zeros
            d = x.view(-1, 2)
            e = torch.full((2,), i.sum())
    """)


def test_an_index_of_a_list_is_a_number() -> None:
    check("""
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.layers = nn.ModuleList([nn.Linear(4, 4), nn.Linear(4, 4)])

            def forward(self, x: Tensor, i: torch.LongTensor):
                return self.layers[i.max()](x)  # index load list[scalar tensor]

        def f(x: Tensor, i: torch.LongTensor):
            items = [1, 2, 3]
            items[i.max()] = 5  # index load list[scalar tensor]
            return x + items[0]

        def g(x: Tensor, i: torch.LongTensor):
            items = [1, 2, 3]
            del items[i.max()]  # index load list[scalar tensor]
            return x

        def h(x: Tensor, i: torch.LongTensor):
            return x + len([1, 2, 3][: i.max()])  # index load x[:n tensor]

        def k(x: Tensor):
            items = [x, x + 1]
            items[0] = x.sum()
            return items[x.shape[0]]
    """)


def test_what_a_list_is_searched_for_is_compared() -> None:
    check("""
        def f(x: Tensor, i: torch.LongTensor):
            return x + [1, 2].index(i.max())  # branch search

        def g(x: Tensor):
            names = ["a", "b"]
            return x + names.index("b")
    """)


def test_slices_and_stars_hand_numbers_on() -> None:
    check("""
        def f(x: Tensor, n: torch.LongTensor):
            return x[slice(0, n.max())]  # index load x[:n tensor]

        def g(x: Tensor, order: torch.LongTensor):
            return x.permute(*order)  # index load size likely

        def h(x: Tensor):
            return x[slice(1)], x.permute(*range(2))

        def k(x: Tensor, n: torch.LongTensor):
            return x.topk(n.max() + 1)  # call torch.Tensor.topk
    """)


def test_builtins_spelled_as_methods() -> None:
    check("""
        def f(x: Tensor):
            a = x.sum().__int__()  # call torch.Tensor.__int__
            b = x.__len__()
            return x.__add__(a)
    """)


@pytest.mark.parametrize(
    "line",
    [
        "x.topk(k)  # call torch.Tensor.topk",
        "torch.topk(x, k)  # call torch.topk",
        "x.topk(n)",
        "x.topk(i)",
        "x.clamp(k, 3)  # call torch.Tensor.clamp",
        "x.clamp(k, i.min())",
        "x.clamp(1, n)",
        "x.clamp(min=k)",
        "torch.zeros(k, 2)  # call torch.zeros",
        "torch.zeros((k, 2))  # index load size",
        "torch.zeros(n, 2)",
        "x.expand(k, 2)  # call torch.Tensor.expand",
        "x.repeat(k)  # call torch.Tensor.repeat",
        "x.new_zeros(2, k)  # call torch.Tensor.new_zeros",
        "torch.full((2,), k)",
        "torch.linspace(0.0, 1.0, k)  # index load size",
        "x.view(n, -1)",
        "x.expand(i, 2)",
        "x.expand(k > 2, 2)",
        "x.expand(u.foo(k), 2)",
    ],
)
def test_a_tensor_where_a_number_is_wanted(line: str) -> None:
    """Only one without dimensions that was computed here is read: an input, a flag or a float is none."""
    check(f"""
        @torch.compile
        def f(x: Tensor, i: torch.LongTensor, n: int, u):
            k = i.max()
            made = {line}
            return x
    """)


def test_functions_of_math_read_a_tensor() -> None:
    check("""
        import math

        def f(x: Tensor):
            a = math.pow(x.sum(), 2.0)  # call math.pow
            b = math.atan2(1.0, x.sum())  # call math.atan2
            c = math.copysign(1.0, x.sum())  # call math.copysign
            d = math.pow(x.shape[0], 2.0)
            e = math.trunc(x.sum())
            g = math.prod([x.sum(), 2.0])
    """)


@pytest.mark.parametrize(
    ("call", "event"),
    [
        ("torch.roll(x, n, 0)", "call torch.roll"),
        ("x.roll((n, 1), (0, 1))", "call torch.Tensor.roll"),
        ("torch.roll(x, shifts=n, dims=0)", "call torch.roll"),
    ],
)
def test_how_far_a_tensor_is_rolled_is_a_number(call: str, event: str) -> None:
    check(f"""
        def f(x: Tensor):
            n = (x > 0).sum()
            return {call}  # {event}

        def of_a_size(x: Tensor):
            n = x.shape[0]
            return {call}
    """)


def test_permute_says_how_many_dimensions_there_are() -> None:
    check("""
        def f(x: Tensor):
            means = x.permute(0, 2, 3, 1).mean(1).mean(1)
            order = torch.topk(means.mean(0), 2)[1]
            return means[:, order[0]]  # index load x[scalar tensor]

        def g(x: Tensor):
            means = x.permute((0, 2, 3, 1)).mean(1)
            order = torch.topk(means.mean(0), 2)[1]
            return means[:, order[0]]

        def h(x: Tensor, *dims: int):
            means = x.permute(*dims).mean(1).mean(1)
            order = torch.topk(means.mean(0), 2)[1]
            return means[:, order[0]]
    """)
