"""Arithmetic on sizes: what is equal is equal as an object, and nothing is called different that may be equal."""

from __future__ import annotations

import itertools
import random
from fractions import Fraction

import pytest

from compilelint.model.sizes import (
    ONE,
    PER_TENSOR,
    Size,
    Sum,
    Symbol,
    apart,
    constant,
    minus,
    multiple,
    of_symbol,
    over,
    plus,
    product,
    replaced,
    solved,
    times,
)

B, N, D = (of_symbol(Symbol(PER_TENSOR + i, text)) for i, text in enumerate("bnd"))
H, K = (of_symbol(Symbol(at * PER_TENSOR, text)) for at, text in ((2, "h"), (3, "k")))
NUMBERS = {"b": 6, "n": 10, "d": 28, "h": 2, "k": 3}


def number(size: Size) -> Fraction:
    """The size where every symbol has its number."""
    found = Fraction(size.over, size.under)
    for factor, power in size.factors:
        value = Fraction(NUMBERS[factor.text]) if isinstance(factor, Symbol) else sum(map(number, factor.terms))
        found *= Fraction(value) ** power
    return found


def test_what_is_equal_is_equal() -> None:
    hd = over(D, H)
    assert times(H, hd) == D
    assert times(times(B, N), hd) == times(hd, times(N, B))
    assert minus(plus(N, ONE), ONE) == N
    assert plus(N, N) == times(Size(2), N)
    assert times(B, plus(N, ONE)) == times(plus(ONE, N), B)


def test_what_is_no_size_or_not_known_is_none() -> None:
    assert constant(0) is None
    assert constant(-1) is None
    assert minus(N, N) is None
    assert times(None, N) is None
    assert over(N, None) is None
    assert plus(None, N) is None
    assert product([N, None]) is None


def test_expressions_stay_small() -> None:
    many = [of_symbol(Symbol(at * PER_TENSOR, f"s{at}")) for at in range(1, 40)]
    assert product(many) is None
    made: Size | None = ONE
    for one in many:
        made = plus(made, one)
    assert made is None
    assert times(Size(1 << 47), Size(1 << 47)) is None


@pytest.mark.parametrize(
    ("size", "text"),
    [
        (over(D, H), "d/h"),
        (times(Size(3), D), "3*d"),
        (over(times(B, N), Size(4)), "b*n/4"),
        (times(N, N), "n**2"),
        (times(B, minus(N, ONE)), "(n - 1)*b"),
        (over(ONE, B), "1/b"),
        (ONE, "1"),
    ],
)
def test_a_size_in_words(size: Size, text: str) -> None:
    assert str(size) == text


@pytest.mark.parametrize(
    ("a", "b", "different"),
    [
        pytest.param(over(D, H), D, True, id="one is a multiple"),
        pytest.param(D, over(D, H), True, id="the other is"),
        pytest.param(N, D, True, id="two sizes of one tensor"),
        pytest.param(N, times(D, B), True, id="products of sizes of one tensor"),
        pytest.param(N, Size(768), True, id="a size and a number"),
        pytest.param(Size(3), Size(4), True, id="two numbers"),
        pytest.param(D, H, False, id="a size and a setting"),
        pytest.param(H, K, False, id="two settings"),
        pytest.param(N, plus(D, ONE), False, id="a sum"),
        pytest.param(N, times(N, minus(D, ONE)), False, id="a difference may be one"),
        pytest.param(N, times(N, plus(D, ONE)), True, id="a sum is above one"),
        pytest.param(N, N, False, id="the same"),
    ],
)
def test_what_is_surely_different(a: Size, b: Size, different: bool) -> None:
    assert apart(a, b) is different


def test_an_equation_is_solved_for_what_need_not_be_kept() -> None:
    kept = frozenset(one for size in (B, N, D) for one, _ in size.factors)
    equation = over(times(H, K), D)
    assert equation is not None
    assert solved(equation, kept) == (Symbol(2 * PER_TENSOR, "h"), over(D, K))
    assert solved(Size(3), kept) is None
    symbol, value = solved(equation, kept) or (Symbol(0, ""), ONE)
    assert replaced(times(H, N), symbol, value) == over(times(D, N), K)
    assert replaced(over(N, H), symbol, value) == over(times(N, K), D)


def test_arithmetic_is_that_of_numbers() -> None:
    rng = random.Random(3)
    operations = {"*": times, "//": over, "+": plus, "-": minus}
    checked = 0
    for _ in range(400):
        size: Size | None = rng.choice((B, N, D, H, K))
        text = str(size)
        for _ in range(rng.randrange(1, 5)):
            op, other = rng.choice(list(operations)), rng.choice((B, N, D, H, K, Size(2), Size(5)))
            size, text = operations[op](size, other), f"({text}) {'/' if op == '//' else op} {other}"
        if size is not None:
            exact = {name: Fraction(value) for name, value in NUMBERS.items()}
            assert number(size) == eval(text, {"__builtins__": {}}, exact), text
            checked += 1
    assert checked > 200


def test_multiples_are_larger_whatever_the_sizes() -> None:
    found = [over(D, H), N, times(N, D), plus(N, ONE), times(B, plus(N, ONE)), Size(2), minus(N, ONE)]
    for a, b in itertools.permutations([one for one in found if one is not None], 2):
        if multiple(a, b):
            assert number(a) < number(b)


def test_a_sum_is_a_factor() -> None:
    assert plus(N, ONE) == Size(1, 1, ((Sum(-1, (ONE, N)), 1),))
    assert (plus(N, ONE) or ONE).newest == PER_TENSOR + 1
    assert ONE.newest == -1
