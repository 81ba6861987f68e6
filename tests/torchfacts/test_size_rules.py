"""The rules of sizes: what each says of numbers and of symbols, and that it is silent where it cannot know."""

from __future__ import annotations

import pytest

from compilelint.model.sizes import ONE, PER_TENSOR, Size, Sizes, Symbol, of_symbol, over, plus, times
from compilelint.torchfacts.result_rules import Argument, Arguments
from compilelint.torchfacts.size_rules import SIZES, broadcast, sizes_by

B, N, D = (of_symbol(Symbol(PER_TENSOR + i, text)) for i, text in enumerate("bnd"))
H = of_symbol(Symbol(2 * PER_TENSOR, "h"))
UNKNOWN = Argument("unknown")


def tensor(*sizes: Size | None) -> Argument:
    return Argument("tensor", "float", len(sizes), sizes=sizes)


def number(value: int | Size) -> Argument:
    return Argument("int", value=value) if isinstance(value, int) else Argument("int", number=value)


def items(*found: Argument) -> Argument:
    return Argument("sequence", items=found)


def text(value: str) -> Argument:
    return Argument("text", value=value)


X = tensor(B, N, D)
TRUE = Argument("bool", value=True)
ND = times(N, D)
D_H = over(D, H)


@pytest.mark.parametrize(
    ("rule", "given", "expected"),
    [
        ("same", [X, tensor(D)], (B, N, D)),
        ("second", [X, tensor(D)], (D,)),
        ("alike", [X, X], (B, N, D)),
        ("alike", [X, tensor(D)], None),
        ("broadcast", [X, tensor(D)], (B, N, D)),
        ("broadcast", [X, tensor(N, ONE)], (B, N, D)),
        ("broadcast", [X, tensor(N, B)], (B, N, None)),
        ("broadcast", [X, UNKNOWN], None),
        ("product", [tensor(B, N, D), tensor(B, D, N)], (B, N, N)),
        ("product", [tensor(N, D), tensor(D)], (N,)),
        ("linear", [X, tensor(H, D)], (B, N, H)),
        ("attended", [X, X, tensor(B, N, H)], (B, N, H)),
        ("reduced 1", [X, number(1)], (B, D)),
        ("reduced 1", [X, number(-1), TRUE], (B, N, ONE)),
        ("reduced 1", [X, items(number(1), number(2))], (B,)),
        ("reduced 1", [X, UNKNOWN], None),
        ("reduced last 1", [X], (B, N)),
        ("sizes 1", [X, number(2), number(N)], (Size(2), N)),
        ("sizes 0", [items(number(B), number(3))], (B, Size(3))),
        ("viewed", [X, number(B), number(N), number(H), number(-1)], (B, N, H, D_H)),
        ("viewed", [X, number(B), UNKNOWN], (B, ND)),
        ("viewed", [X, number(-1), UNKNOWN], None),
        ("expanded", [tensor(ONE, N), number(B), number(-1), number(-1)], (B, ONE, N)),
        ("flattened", [X, number(1)], (B, ND)),
        ("flattened", [X, number(0), number(1)], (times(B, N), D)),
        ("unflattened", [X, number(-1), items(number(H), number(-1))], (B, N, H, D_H)),
        ("inserted", [X, number(1)], (B, ONE, N, D)),
        ("inserted", [X, number(-1)], (B, N, D, ONE)),
        ("removed", [X, number(1)], (B, D)),
        ("removed", [X], (N, D)),
        ("cut", [X, number(3), number(-1)], (B, N, over(D, Size(3)))),
        ("cut", [tensor(Size(7)), number(2)], None),
        ("parts", [X, number(H), number(2)], (B, N, H)),
        ("joined", [items(X, tensor(B, ONE, D)), number(1)], (B, plus(N, ONE), D)),
        ("joined", [items(X, UNKNOWN), number(1)], None),
        ("stacked", [items(X, X), number(1)], (B, Size(2), N, D)),
        ("equation", [text("bij,bjd->bdi"), tensor(B, N, N), tensor(B, N, D)], (B, D, N)),
        ("equation", [text("...ij->...ji"), X], None),
    ],
)
def test_sizes(rule: str, given: list[Argument], expected: Sizes | None) -> None:
    rank = None if expected is None else len(expected)
    assert sizes_by(rule, Arguments(given, {}), rank) == expected


@pytest.mark.parametrize("rule", SIZES)
def test_of_arguments_that_are_not_known_nothing_is_said(rule: str) -> None:
    assert sizes_by(rule, Arguments([UNKNOWN] * 4, {}), None) is None
    assert sizes_by(rule, Arguments([], {}), None) is None


def test_a_result_without_dimensions_has_no_sizes() -> None:
    assert sizes_by("", Arguments([X], {}), 0) == ()
    assert sizes_by("same", Arguments([X], {}), 2) is None


def test_what_is_not_known_is_what_the_other_is() -> None:
    assert broadcast((B, None), (None, D)) == (B, D)
    assert broadcast((B, None), (ONE, ONE)) == (B, None)
    assert broadcast((Size(3),), (D,)) == (Size(3),)
    assert broadcast((Size(3),), (Size(4),)) == (None,)
