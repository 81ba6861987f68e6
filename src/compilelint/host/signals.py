"""How blocks of the host program end, and how much of it is run."""

from __future__ import annotations

from typing import Any, TypeAlias

from compilelint.host.values import Value

MOST_STEPS = 20_000  # statements and calls of one program
MOST_PASSES = (12, 6, 4, 3, 2)  # of a loop, by how many are around it
MOST_DEEP = 24
MOST_YIELDS = 24
MOST_ITEMS = 2_000
MOST_TIMED = 12  # calls between two readings of a clock: of more, compiling is a small part
ENUMS = ("enum.Enum", "enum.IntEnum", "enum.StrEnum", "enum.Flag", "enum.IntFlag")


class OutOfStepsError(Exception):
    """The program takes more steps than it is given."""


class RaisedError(Exception):
    """The program raises: what it raises."""

    def __init__(self, value: Value) -> None:
        super().__init__("raised")
        self.value = value


class Returned:
    """A block ended with `return`."""

    __slots__ = ("value",)

    def __init__(self, value: Value) -> None:
        self.value = value


BREAK, CONTINUE = object(), object()
Signal: TypeAlias = Any
"""None, a `Returned`, `BREAK` or `CONTINUE`."""
