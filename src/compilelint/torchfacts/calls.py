"""The shape of a call, as far as a verdict can depend on it.

The interpreter describes a call by a `CallShape`; conditions (`conditions.py`) look at nothing else.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import Protocol

from compilelint.model.slotted import dataclass
from compilelint.torchfacts.vocabulary import ArgKind


class CallShape(Protocol):
    """A call seen from its arguments; for a method the receiver is apart and not counted.

    `open_ended` says that `*args` or `**kwargs` of unknown length are passed, so that an argument that is not
    listed may still be there.
    """

    @property
    def positional(self) -> int:
        """Number of positional arguments, the receiver not counted."""

    @property
    def keywords(self) -> frozenset[str]:
        """Names of the keyword arguments."""

    @property
    def open_ended(self) -> bool:
        """Whether more arguments than these may be passed."""

    @property
    def receiver(self) -> ArgKind:
        """Kind of `x` in `x.method(...)`; UNKNOWN for a plain function."""

    def kind(self, key: int | str) -> ArgKind | None:
        """Kind of the argument at a position (from 0) or of that keyword name; None where it is not passed."""


@dataclass(frozen=True, slots=True)
class Call:
    """A `CallShape` made from plain sequences: `Call((ArgKind.TENSOR,), {"dim": ArgKind.INT})`."""

    args: Sequence[ArgKind] = ()
    kwargs: Mapping[str, ArgKind] = field(default_factory=dict)
    receiver: ArgKind = ArgKind.UNKNOWN
    open_ended: bool = False

    @property
    def positional(self) -> int:
        """See `CallShape`."""
        return len(self.args)

    @property
    def keywords(self) -> frozenset[str]:
        """See `CallShape`."""
        return frozenset(self.kwargs)

    def kind(self, key: int | str) -> ArgKind | None:
        """See `CallShape`."""
        if isinstance(key, str):
            return self.kwargs.get(key)
        return self.args[key] if key < len(self.args) else None
