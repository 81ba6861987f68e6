"""The decorator of what is built by the ten thousand: nodes of the IR and abstract values.

They are frozen for the type checker; at run time they are plain slotted objects, because a frozen dataclass costs
three times as much to build and a run builds tens of thousands a megabyte.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from typing_extensions import dataclass_transform

    @dataclass_transform(frozen_default=True, eq_default=False)
    def slotted(cls: type[Any]) -> type[Any]:
        """Decorator: a frozen, slotted class with an `__init__` from its fields."""
        ...
else:

    def slotted(cls):
        """Decorator: a slotted class with an `__init__` from its fields."""
        return dataclass(slots=True, eq=False)(cls)
