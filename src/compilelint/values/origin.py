"""What values say of themselves besides their kind: what they depend on, where tensors live, and why we believe it."""

from __future__ import annotations

import enum
from typing import Any, Protocol

from compilelint.model.slotted import slotted


class Dependence(enum.IntEnum):
    """What must be known to know the value: nothing at run time < the shapes of the inputs < their data.

    DRAWN is a number of Python's `random`: as DATA, and until its graph ends Dynamo holds a 0-d tensor in its place.
    """

    STATIC = 0
    SHAPE = 1
    DATA = 2
    DRAWN = 3


class Source(enum.IntEnum):
    """Where a tensor comes from, as Dynamo sees it in the current frame.

    INPUT crosses into the frame as an argument (or crossed an earlier break); PARAMETER and BUFFER live on a module;
    LITERAL was made inside from Python numbers; COMPUTED is the result of an operation inside the frame.
    """

    INPUT = 0
    PARAMETER = 1
    BUFFER = 2
    LITERAL = 3
    COMPUTED = 4


class Named(Protocol):
    """A function or class of the analysed program, as far as values must know it."""

    @property
    def qualified_name(self) -> str: ...


class Code(Named, Protocol):
    """A function with a body; its identity is its place in the source."""


class OriginKind(enum.Enum):
    """What brought a value about, as far as decisions depend on it."""

    PLAIN = enum.auto()  # `what` of the origin says it all
    ARGUMENT = enum.auto()
    GRADIENT = enum.auto()  # handed to the `backward` of a custom function
    OWNED = enum.auto()  # a parameter of a module
    HELD = enum.auto()  # by an object that outlives the call, and left where it is when modules move
    GLOBAL = enum.auto()
    MADE = enum.auto()  # by a factory
    EMPTY = enum.auto()  # likewise, and of no elements
    LEAF = enum.auto()  # likewise, and asked to need a gradient
    RESULT = enum.auto()  # of an operation; methods begin with a dot
    LAYER = enum.auto()  # what a library layer returns
    ATTRIBUTE = enum.auto()  # of a tensor: ".data", ".T"; `.numpy()` reads like one
    ITEM = enum.auto()  # an element or a row of the tensor before
    TO_HOST = enum.auto()  # copied there


_WORDS = {
    OriginKind.ARGUMENT: "argument {}",
    OriginKind.GRADIENT: "gradient `{}`",
    OriginKind.HELD: "attribute `{}`",
    OriginKind.GLOBAL: "global {}",
    OriginKind.MADE: "made by `{}`",
    OriginKind.EMPTY: "made by `{}`",
    OriginKind.LEAF: "made by `{}`",
    OriginKind.RESULT: "result of `{}`",
    OriginKind.LAYER: "output of `{}`",
    OriginKind.ATTRIBUTE: "`{}`",
    OriginKind.TO_HOST: "copied to the host by `{}`",
}


@slotted
class Origin:
    """Why we believe it: its kind and `what` ("torch.clamp" of a RESULT), and the place.

    `place` is (module, packed position), which a reporter turns into a location; `parent` is the value before.
    Decisions ask `kind` and `what`; `how` is for people only.
    """

    what: str
    place: tuple[Any, int] | None = None
    parent: Origin | None = None
    kind: OriginKind = OriginKind.PLAIN

    @property
    def how(self) -> str:
        """The origin in words: "annotated `Tensor`", "result of `torch.clamp`"."""
        return _WORDS.get(self.kind, "{}").format(self.what)
