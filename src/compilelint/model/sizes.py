"""Sizes of tensors as products of named sizes: `b`, `3 * d`, `h * w / 4`, `b * (n + 1)`.

A size is known by what it is made of, so that equal ones are equal as Python objects. Divisions are taken to go out
even: torch refuses the views that are written with one that does not. Arithmetic that would grow beyond `MAX_FACTORS`
factors, `MAX_TERMS` terms or `MAX_NUMBER` gives None, as does whatever is no positive size.

A symbol stands for a number above one. Whether two different products are the same number is never guessed: `apart`
says so where one is a proper multiple of the other, or where they differ in sizes of one tensor alone, which its caller
may choose. Both hold but for sizes that happen to be equal, or one.
"""

from __future__ import annotations

import math
from collections.abc import Container, Iterable
from typing import NamedTuple, TypeAlias

MAX_FACTORS = 6
MAX_TERMS = 4
MAX_NUMBER = 1 << 48
PER_TENSOR = 16
"""Serial numbers that the sizes of one tensor share, from a multiple of it on."""


class Symbol(NamedTuple):
    """A size that has a name and no known number."""

    serial: int
    text: str

    @property
    def tensor(self) -> int:
        """Which tensor it is a size of; every other number counts as one by itself."""
        return self.serial // PER_TENSOR


class Sum(NamedTuple):
    """A sum of sizes with whole factors, as one factor of a product; a difference has negative ones."""

    serial: int  # -1, so that sums and symbols can be ordered
    terms: tuple[Size, ...]


Factor: TypeAlias = "Symbol | Sum"


class Size(NamedTuple):
    """`over / under`, times each factor to its power; factors in order, powers not 0."""

    over: int
    under: int = 1
    factors: tuple[tuple[Factor, int], ...] = ()

    def __str__(self) -> str:
        top = [_spelled(factor, power) for factor, power in self.factors if power > 0]
        bottom = [_spelled(factor, -power) for factor, power in self.factors if power < 0]
        if self.over != 1 or not top:
            top.insert(0, str(self.over))
        if self.under != 1:
            bottom.append(str(self.under))
        return "/".join(["*".join(top), *bottom])

    @property
    def number(self) -> int | None:
        """The size as a number, None where it has no known one."""
        return self.over if not self.factors and self.under == 1 else None

    @property
    def newest(self) -> int:
        """The highest serial number of its symbols; -1 without any."""
        found = -1
        for factor, _ in self.factors:
            newest = factor.serial if isinstance(factor, Symbol) else max([one.newest for one in factor.terms])
            found = max(found, newest)
        return found


Sizes: TypeAlias = "tuple[Size | None, ...]"


def _spelled(factor: Factor, power: int) -> str:
    if isinstance(factor, Symbol):
        text = factor.text
    else:
        last = [one for one in factor.terms if not one.factors]  # `n - 1`, not `-1 + n`
        terms = [one for one in factor.terms if one.factors] + last
        text = "(" + " + ".join(map(str, terms)).replace("+ -", "- ") + ")"
    return text if power == 1 else f"{text}**{power}"


def constant(number: int) -> Size | None:
    """A known size; None for what is no size."""
    return Size(number) if 0 < number < MAX_NUMBER else None


def of_symbol(symbol: Symbol) -> Size:
    """The size that is this symbol."""
    return Size(1, 1, ((symbol, 1),))


ONE = Size(1)


def times(a: Size | None, b: Size | None) -> Size | None:
    """`a * b`; None where one is not known."""
    if a is None or b is None:
        return None
    if a == ONE:
        return b
    return a if b == ONE else _product(a, b, 1)


def over(a: Size | None, b: Size | None) -> Size | None:
    """`a / b`, taken to go out even; None where one is not known."""
    return None if a is None or b is None else a if b == ONE else _product(a, b, -1)


def _product(a: Size, b: Size, sign: int) -> Size | None:
    top, bottom = (a.over * b.over, a.under * b.under) if sign > 0 else (a.over * b.under, a.under * b.over)
    if bottom < 0:
        top, bottom = -top, -bottom
    shared = math.gcd(top, bottom)
    powers = dict(a.factors)
    for factor, power in b.factors:
        now = powers.get(factor, 0) + sign * power
        if now:
            powers[factor] = now
        else:
            del powers[factor]
    if len(powers) > MAX_FACTORS or max(abs(top), bottom) // shared > MAX_NUMBER:
        return None
    return Size(top // shared, bottom // shared, tuple(sorted(powers.items())))


def product(sizes: Iterable[Size | None]) -> Size | None:
    """All of them multiplied; None where one is not known."""
    made: Size | None = ONE
    for one in sizes:
        made = times(made, one)
    return made


def plus(a: Size | None, b: Size | None, sign: int = 1) -> Size | None:
    """`a + b`, or `a - b` where `sign` is -1; None where one is not known, or nothing is left."""
    if a is None or b is None:
        return None
    found: dict[tuple[tuple[Factor, int], ...], tuple[int, int]] = {}
    for size, factor in ((a, 1), (b, sign)):
        for one in _terms(size):
            top, bottom = found.get(one.factors, (0, 1))
            found[one.factors] = (top * one.under + factor * one.over * bottom, bottom * one.under)
    terms = []
    for factors, (top, bottom) in sorted(found.items()):
        shared = math.gcd(top, bottom)
        if top:
            terms.append(Size(top // shared, bottom // shared, factors))
    if not terms or len(terms) > MAX_TERMS or any(max(abs(one.over), one.under) > MAX_NUMBER for one in terms):
        return None
    if len(terms) == 1:
        return terms[0] if terms[0].over > 0 else None
    return Size(1, 1, ((Sum(-1, tuple(terms)), 1),))


def minus(a: Size | None, b: Size | None) -> Size | None:
    """`a - b`."""
    return plus(a, b, -1)


def _terms(size: Size) -> tuple[Size, ...]:
    if len(size.factors) == 1 and size.over == size.under == 1:
        factor, power = size.factors[0]
        if isinstance(factor, Sum) and power == 1:
            return factor.terms
    return (size,)


# ------------------------------------------------------------------- comparisons


def multiple(a: Size, b: Size) -> bool:
    """Whether `b` is `a` times something above one, whatever the sizes are."""
    return (ratio := _product(b, a, -1)) is not None and _above_one(ratio)


def _above_one(ratio: Size) -> bool:
    if any(power < 0 or not _is_above_one(factor) for factor, power in ratio.factors):
        return False
    return ratio.over > ratio.under or (ratio.over == ratio.under and bool(ratio.factors))


def _is_above_one(factor: Factor) -> bool:
    """A symbol, and a sum in which nothing is taken away."""
    if isinstance(factor, Symbol):
        return True
    return all(
        one.over >= one.under > 0 and all(power > 0 and _is_above_one(inner) for inner, power in one.factors)
        for one in factor.terms
    )


def apart(a: Size, b: Size) -> bool:
    """Whether the two are different numbers, but for sizes that happen to be equal or one; False if that is not known.

    Sizes that come from two places, a tensor and a setting, may well be related in a way that is not seen.
    """
    ratio = _product(b, a, -1)
    if ratio is None or ratio == ONE:
        return False
    if _above_one(ratio) or multiple(b, a):
        return True
    if any(not isinstance(factor, Symbol) for factor, _ in ratio.factors):
        return False
    return len({factor.tensor for factor, _ in ratio.factors if isinstance(factor, Symbol)}) <= 1


def solved(equation: Size, kept: Container[Factor]) -> tuple[Symbol, Size] | None:
    """A symbol and what it is, where this product is known to be one; of those to be kept only if there is no other."""
    found = [(one, power) for one, power in equation.factors if isinstance(one, Symbol) and abs(power) == 1]
    if not found:
        return None
    symbol, power = next((one for one in found if one[0] not in kept), found[-1])  # sorted: placeholders come first
    rest = _product(equation, Size(1, 1, ((symbol, power),)), -1)
    value = None if rest is None else _product(ONE, rest, -1) if power == 1 else rest
    return None if value is None else (symbol, value)


def replaced(size: Size | None, symbol: Symbol, value: Size) -> Size | None:
    """The size with `value` for a symbol; None where it would grow too large."""
    if size is None:
        return None
    power = dict(size.factors).get(symbol, 0)
    for _ in range(abs(power)):
        size = over(times(size, value), of_symbol(symbol)) if power > 0 else times(over(size, value), of_symbol(symbol))
    return size
