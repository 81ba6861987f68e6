"""How tensors lie in memory: what is made of a layout, and which views it forbids (as torch itself answers)."""

from __future__ import annotations

import itertools

import pytest

from compilelint.interp.core.args import Args
from compilelint.interp.devices.layouts import order
from compilelint.interp.devices.views import lying, view_of
from compilelint.values import UNKNOWN, Const, Layout, Permuted, Sequence, Tensor, Value


def of(*shape: int, at: Layout = "contiguous") -> Tensor:
    """A tensor of as many dimensions."""
    return Tensor("float", len(shape), layout=at)


def layout(op: str, tensor: Tensor, args: Args, at: int) -> Layout | None:
    """How what an operation returns lies."""
    return lying(op, tensor, args, at)[0]


def numbers(*values: int) -> list[Value]:
    return [Const(value) for value in values]


@pytest.mark.parametrize(
    ("op", "given", "expected"),
    [
        ("transpose", (1, 2), Permuted((0, 2, 1))),
        ("transpose", (-1, 0), Permuted((2, 1, 0))),
        ("transpose", (1, 1), "contiguous"),
        ("transpose", (0, 3), "strided"),
        ("permute", (2, 0, 1), Permuted((2, 0, 1))),
        ("permute", (0, 1, 2), "contiguous"),
        ("permute", (0, 1), "strided"),
        ("permute", (0, 1, 1), "strided"),
        ("t", (), "strided"),
        ("swapaxes", (0, 1), Permuted((1, 0, 2))),
        ("movedim", (0, 1), "strided"),
    ],
)
def test_a_permutation_of_three_dimensions(op: str, given: tuple[int, ...], expected: Layout) -> None:
    assert layout(op, of(2, 3, 4), Args(numbers(*given)), 0) == expected


def test_a_permutation_of_a_permutation() -> None:
    turned = of(2, 3, 4, at=Permuted((0, 2, 1)))
    assert layout("transpose", turned, Args(numbers(1, 2)), 0) == "contiguous"
    assert layout("transpose", turned, Args(numbers(0, 1)), 0) == Permuted((2, 0, 1))


def test_dimensions_may_come_as_one_sequence_and_behind_the_tensor() -> None:
    given = Sequence("tuple", tuple(numbers(2, 0, 1)), Const(None))
    assert layout("permute", of(2, 3, 4), Args([given]), 0) == Permuted((2, 0, 1))
    assert layout("transpose", of(2, 3), Args([Const(None), *numbers(0, 1)]), 1) == Permuted((1, 0))


@pytest.mark.parametrize("tensor", [Tensor("float"), of(2), of(2, 3, at=""), of(2, 3, at="expanded")])
def test_nothing_is_known_of_a_permutation_of_what_is_not_known(tensor: Tensor) -> None:
    assert layout("transpose", tensor, Args(numbers(0, 1)), 0) == "strided"


def test_a_matrix_is_turned() -> None:
    assert layout("t", of(2, 3), Args([]), 0) == Permuted((1, 0))


def test_the_order_of_dimensions() -> None:
    assert order(of(2, 3)) == (0, 1)
    assert order(of(2, 3, at=Permuted((1, 0)))) == (1, 0)
    assert order(of(2, 3, 4, at=Permuted((1, 0)))) is None
    assert order(of(2, 3, at="strided")) is None


@pytest.mark.parametrize(
    ("op", "before", "after"),
    [
        ("contiguous", Permuted((1, 0)), "contiguous"),
        ("reshape", "contiguous", "contiguous"),
        ("reshape", "", "contiguous"),
        ("view", "", ""),
        ("expand", "contiguous", "expanded"),
        ("narrow", "contiguous", "contiguous"),
        ("sum", "sparse", "sparse"),
        ("sum", "contiguous", None),
    ],
)
def test_what_a_view_makes_of_a_layout(op: str, before: Layout, after: Layout | None) -> None:
    assert layout(op, of(2, 3, at=before), Args([]), 0) == after


@pytest.mark.parametrize(
    ("before", "sizes", "forbidden"),
    [
        (Permuted((0, 2, 1)), 2, True),
        (Permuted((0, 2, 1)), 1, True),
        (Permuted((0, 2, 1)), 3, False),
        (Permuted((1, 2, 0)), 2, False),
        (Permuted((1, 2, 0)), 1, True),
        (Permuted((2, 1, 0)), 2, True),
        ("contiguous", 1, False),
        ("strided", 1, False),
    ],
)
def test_a_view_merges_only_what_lies_side_by_side(before: Layout, sizes: int, forbidden: bool) -> None:
    assert (view_of("view", of(2, 3, 4, at=before), Args([UNKNOWN] * sizes), 0).raises is True) is forbidden


def test_no_view_of_a_contiguous_tensor_is_forbidden() -> None:
    for rank, sizes in itertools.product(range(1, 5), range(1, 5)):
        assert view_of("view", of(*range(rank)), Args([UNKNOWN] * sizes), 0).raises is False
