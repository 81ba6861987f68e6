"""A size of a result as an expression of other sizes, fitted to what runs showed.

A size that was the same in every run is that number, or that of an input along the same axis, where other sizes
changed. One that changed is another size, or that plus, times or divided by a whole number, a product of two, or a sum:
the simplest that agrees with every run, of which at least three different values were seen. With fewer, or where
nothing agrees, it is not known.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

from compilelint.model.slotted import dataclass

LEAST = 3
_MOST_FACTOR = 64


@dataclass(frozen=True, slots=True)
class Size:
    """A number that was there in every run: how an operator spells it, and what it was.

    `parameter` names what must be passed for it, as `passed`; empty where the operator has it already. `axis` says of
    a tensor's size which one it is.
    """

    text: str
    values: tuple[int, ...]
    parameter: str = ""
    passed: str = ""
    axis: int = -1


@dataclass(frozen=True, slots=True)
class Fit:
    """An expression that agrees with every run, and the sizes that it is made of."""

    text: str
    of: tuple[Size, ...] = ()


def fitted(values: Sequence[int], sizes: Sequence[Size], axis: int = 0) -> Fit | None:
    """The simplest expression for a size that had these values, along an axis; None where runs do not show one."""
    wanted = tuple(values)
    if len(set(values)) == 1:
        alike = (one for one in sizes if one.values == wanted and one.axis == axis and not one.parameter)
        same = next(alike, None)
        varied = max((len(set(one.values)) for one in sizes), default=0) >= LEAST
        return None if not varied else Fit(str(values[0])) if same is None else Fit(same.text, (same,))
    if len(set(values)) < LEAST:
        return None
    return next((fit for fit, given in _expressions(wanted, sizes) if given == wanted), None)


def _expressions(wanted: tuple[int, ...], sizes: Sequence[Size]) -> Iterator[tuple[Fit, tuple[int, ...]]]:
    """Expressions with their values, the simplest first."""
    for one in sizes:
        yield Fit(one.text, (one,)), one.values
    for one in sizes:
        yield from _of_one(wanted, one)
    for one, other in itertools.combinations_with_replacement(sizes, 2):
        product = tuple(a * b for a, b in zip(one.values, other.values, strict=True))
        yield Fit(f"{one.text} * {other.text}", (one, other)), product
    for one, other in itertools.combinations(sizes, 2):
        total = tuple(a + b for a, b in zip(one.values, other.values, strict=True))
        yield Fit(f"{one.text} + {other.text}", (one, other)), total


def _of_one(wanted: tuple[int, ...], one: Size) -> Iterator[tuple[Fit, tuple[int, ...]]]:
    """A size plus, times and divided by the number that its first value asks for."""
    shift, first = wanted[0] - one.values[0], one.values[0]
    sign = "+" if shift > 0 else "-"
    yield Fit(f"{one.text} {sign} {abs(shift)}", (one,)), tuple(value + shift for value in one.values)
    if first and wanted[0] % first == 0 and 1 < wanted[0] // first <= _MOST_FACTOR:
        factor = wanted[0] // first
        yield Fit(f"{one.text} * {factor}", (one,)), tuple(value * factor for value in one.values)
    if wanted[0] and 1 < first // wanted[0] <= _MOST_FACTOR:
        factor = first // wanted[0]
        yield Fit(f"{one.text} // {factor}", (one,)), tuple(value // factor for value in one.values)
