"""Members of enumerations: constants that are equal to nothing but themselves."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Member:
    """A member of an `enum.Enum` whose members are no numbers or texts: `Padding.SAME`. Held by a `Const`.

    `cls` is its class, as the program knows it, `value` the value that stands behind the name, not compared.
    """

    cls: Any
    name: str
    value: Any = field(compare=False)

    def __repr__(self) -> str:
        return f"{self.cls.node.name}.{self.name}"
