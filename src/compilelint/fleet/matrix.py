"""Targets under several versions of torch, modes or devices: which cells there are, and what changes between them.

The first value of each axis is what the others are held against.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product

from compilelint.model import Fate, ObservedBreak, TargetRun

AXES = {"torch": (), "mode": ("eval", "train"), "device": ("cpu", "cuda")}
"""What may vary, and the values that it may take; any for `torch`."""


class NoAxisError(ValueError):
    """A word that names no axis; the text says why."""


@dataclass(frozen=True, slots=True)
class Cell:
    """One value of each axis that was asked for, by the name of the axis."""

    values: tuple[tuple[str, str], ...]

    def get(self, axis: str) -> str | None:
        """The value on an axis, None where it was not asked for."""
        return dict(self.values).get(axis)

    @property
    def name(self) -> str:
        """As a column is headed."""
        return " ".join(f"torch {value}" if axis == "torch" else value for axis, value in self.values)


@dataclass(frozen=True, slots=True)
class Change:
    """A break of one target that is in one of two cells only. `predicted`: the static pass for that torch has it."""

    target: str
    cell: str
    path: str
    line: int
    words: str
    break_id: str
    predicted: bool


def cells(words: Sequence[str]) -> tuple[Cell, ...]:
    """The cells of `torch=2.13,2.15` and the like, the first value of each axis first. Raises NoAxisError."""
    axes: dict[str, tuple[str, ...]] = {}
    for word in words:
        axis, equals, rest = word.partition("=")
        values = tuple(dict.fromkeys(one for one in rest.split(",") if one))
        if axis not in AXES or not equals or not values:
            raise NoAxisError(f"{word!r} names no axis: write torch=2.13,2.15, mode=eval,train or device=cpu,cuda")
        wrong = [one for one in values if AXES[axis] and one not in AXES[axis]]
        if wrong:
            raise NoAxisError(f"{axis} is never {wrong[0]!r}: it is {' or '.join(AXES[axis])}")
        if axis in axes:
            raise NoAxisError(f"{axis} is named twice")
        axes[axis] = values
    return tuple(Cell(tuple(zip(axes, values, strict=True))) for values in product(*axes.values()))


def new_breaks(
    before: TargetRun, after: TargetRun, cell: str, predicted: Mapping[tuple[str, int], object]
) -> tuple[Change, ...]:
    """The breaks of `after` that `before` has not, by statement; `predicted` holds the places that findings name."""
    known = {_site(one) for one in before.own_breaks}
    return tuple(
        Change(after.target, cell, one.path, one.line, one.words, one.break_id, _is_in(one, predicted))
        for one in after.own_breaks
        if _site(one) not in known
    )


def _site(one: ObservedBreak) -> tuple[str, str]:
    """What stays the same of a break between environments, whose files lie elsewhere and may be of other versions."""
    return one.function, " ".join(one.statement.split())


def _is_in(one: ObservedBreak, places: Mapping[tuple[str, int], object]) -> bool:
    return any((one.path, line) in places for line in range(one.first_line, one.end_line + 1))


def stopped(before: TargetRun, after: TargetRun) -> bool:
    """It ran, and does not any more."""
    return before.fate is Fate.RAN and after.fate is not Fate.RAN


def started(before: TargetRun, after: TargetRun) -> bool:
    """The other way."""
    return stopped(after, before)
