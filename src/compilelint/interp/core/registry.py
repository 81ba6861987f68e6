"""The table of transfer functions for library callables.

A model gets the frame, the arguments and the place of the call, and returns the result; it may emit events of its
own. Whether a call breaks the graph is not its business: that is `torchfacts`'.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, TypeAlias

from compilelint.interp.core.args import Args
from compilelint.interp.core.frame import Frame
from compilelint.model.slotted import dataclass
from compilelint.torchfacts import ArgKind
from compilelint.values import (
    Bottom,
    BoundMethod,
    ClassRef,
    Compiled,
    Const,
    External,
    FunctionRef,
    Instance,
    Mapping,
    Object,
    Partial,
    Scalar,
    Sequence,
    Source,
    Tensor,
    Union,
    Unknown,
    Value,
    tensor_arm,
    unhandled,
)

Model: TypeAlias = Callable[[Frame, Args, int], Value]
InstanceCall: TypeAlias = Callable[[Frame, Instance, Args, int], Value]

MODELS: dict[str, Model] = {}
INSTANCE_CALLS: dict[str, InstanceCall] = {}


class Classes(NamedTuple):
    """What the classes of a library make, and what calling one of their objects returns."""

    made: Callable[[Frame, str, Args], Value]
    called: InstanceCall


CLASSES: dict[str, Classes] = {}
"""By the prefix of their names: `torchvision.transforms.`."""


def model(*names: str) -> Callable[[Model], Model]:
    """Decorator: this is what the library callables of these canonical names return."""

    def register(function: Model) -> Model:
        for name in names:
            MODELS[name] = function
        return function

    return register


def instance_call(name: str) -> Callable[[InstanceCall], InstanceCall]:
    """Decorator: this is what a call of an instance of this name comes to, its events included."""

    def register(function: InstanceCall) -> InstanceCall:
        INSTANCE_CALLS[name] = function
        return function

    return register


def classes_of(name: str) -> Classes | None:
    """The classes that a name is among; None where no model knows them."""
    return next((known for prefix, known in CLASSES.items() if name.startswith(prefix)), None)


_DTYPE_KINDS = {"bool": ArgKind.BOOL_TENSOR, "int": ArgKind.INT_TENSOR, "float": ArgKind.FLOAT_TENSOR}
_SCALAR_KINDS = {"int": ArgKind.INT, "float": ArgKind.FLOAT, "str": ArgKind.STR}


def kind_of(value: Value) -> ArgKind:
    """What `torchfacts` conditions may know of an argument."""
    tensor = tensor_arm(value)
    if tensor is not None:
        if tensor.rank == 0 and tensor.dtype in ("int", ""):
            return ArgKind.COMPUTED_SCALAR_TENSOR if tensor.source is Source.COMPUTED else ArgKind.SCALAR_TENSOR
        return _DTYPE_KINDS.get(tensor.dtype, ArgKind.TENSOR)
    if isinstance(value, Const):
        return _kind_of_constant(value.value)
    if isinstance(value, Scalar):
        return _SCALAR_KINDS.get(value.kind, ArgKind.UNKNOWN)
    if isinstance(value, Sequence):
        return ArgKind.LIST
    if isinstance(value, Mapping):
        return ArgKind.DICT
    if isinstance(value, Instance) and value.name.startswith("torch.nn."):
        return ArgKind.MODULE
    if isinstance(value, Union):
        kinds = {kind_of(a) for a in value.arms}
        return kinds.pop() if len(kinds) == 1 else ArgKind.UNKNOWN
    if isinstance(value, ClassRef):
        return ArgKind.CLASS
    if isinstance(value, (Object, Instance, FunctionRef, BoundMethod, External)):
        return ArgKind.OBJECT
    if isinstance(value, (Tensor, Partial, Compiled, Unknown, Bottom)):  # a tensor has answered above
        return ArgKind.UNKNOWN
    return unhandled(value)


def _kind_of_constant(value: object) -> ArgKind:
    if value is None:
        return ArgKind.NONE
    if value is True:
        return ArgKind.TRUE
    if value is False:
        return ArgKind.FALSE
    if isinstance(value, int):
        return ArgKind.NEGATIVE_INT if value < 0 else ArgKind.INT
    if isinstance(value, float):
        return ArgKind.FLOAT
    return ArgKind.STR if isinstance(value, str) else ArgKind.UNKNOWN


@dataclass(slots=True)
class Shape:
    """A call as `torchfacts` sees it (`CallShape`); kinds are found on demand."""

    args: Args
    of: Value | None = None

    @property
    def positional(self) -> int:
        return len(self.args.positional)

    @property
    def keywords(self) -> frozenset[str]:
        return frozenset(self.args.keywords)

    @property
    def open_ended(self) -> bool:
        return self.args.star is not None or self.args.double_star is not None

    @property
    def receiver(self) -> ArgKind:
        return ArgKind.UNKNOWN if self.of is None else kind_of(self.of)

    def kind(self, key: int | str) -> ArgKind | None:
        if isinstance(key, str):
            value = self.args.keywords.get(key)
            return None if value is None else kind_of(value)
        return kind_of(self.args.positional[key]) if key < len(self.args.positional) else None
