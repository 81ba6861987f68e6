"""What the interpreter emits: facts about lines that Dynamo traces."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, TypeAlias

from compilelint.events.event import Event
from compilelint.model import Confidence, Location
from compilelint.model.slotted import dataclass
from compilelint.values import UNKNOWN, Value

Keyword: TypeAlias = Literal[
    "if",
    "elif",
    "while",
    "assert",
    "and",
    "or",
    "not",
    "if-expression",
    "comparison",
    "comprehension",
    "match",
    "search",
]
"""The form of a truth test; `comparison` is a link of a chained compare, `search` what looks for a value in a list."""

Target: TypeAlias = Literal["global", "nonlocal", "self", "class", "argument", "default"]
"""What holds the state that is changed."""

Placement: TypeAlias = Literal[
    "host-built",
    "host-random",
    "host-kept",
    "to-host",
    "async-host",
    "round-trip",
    "literal",
    "mismatch",
    "read-into-tensor",
    "dtype-round-trip",
    "module-moved",
    "module-to-host",
    "view",
    "expanded",
    "expanded-item",
    "multi-view",
    "contiguous",
    "memory-format",
    "out",
    "out-empty",
    "data",
]
"""Patterns of devices and dtypes, of layouts, and of writes through `.data`."""

StateHow: TypeAlias = Literal[
    "counts",
    "settles",
    "varies",
    "flips",
    "appears",
    "retypes",
    "reshapes",
    "gains-gradient",
    "aliases",
    "disappears",
    "gains-key",
    "fills",
    "grows",
    "shrinks",
    "lengthens",
    "advances",
]
"""How state differs after the call."""

StateWhere: TypeAlias = Literal["self", "class", "global", "closure", "default", "argument", "process"]
"""Where state lives that outlives the call; `process` is a switch of torch that every graph guards."""

GuardedInput: TypeAlias = Literal["size", "number", "text", "optional", "layer", "longer"]
"""What of the inputs a test or loop depends on."""


@dataclass(frozen=True, slots=True)
class Branch(Event):
    """A truth test: a jump that Dynamo must decide while tracing.

    `held` is what the names of the frame hold there that may be tensors, where a graph ends in a linted line.
    """

    keyword: Keyword
    condition: Value
    held: tuple[tuple[str, Value], ...] = ()


@dataclass(frozen=True, slots=True)
class Call(Event):
    """A call of a library function, method, class or builtin, under its canonical dotted name.

    Methods of tensors are `torch.Tensor.item`, with the tensor as `receiver`; `result` is what the call returns.
    """

    name: str
    receiver: Value | None
    args: tuple[Value, ...]
    keywords: Mapping[str, Value]
    result: Value


@dataclass(frozen=True, slots=True)
class Index(Event):
    """`value[index]`; `store` for an assignment or deletion. `how` is the syntax form that decides, if any."""

    value: Value
    index: Value
    store: bool
    how: str


@dataclass(frozen=True, slots=True)
class Attribute(Event):
    """An attribute of a tensor or library object is read or (`store`) written; `name` is canonical."""

    name: str
    receiver: Value
    store: bool
    value: Value | None = None


@dataclass(frozen=True, slots=True)
class Enter(Event):
    """A context manager is entered; `inside` says that it was made in the `with` line or at least in the region."""

    name: str
    manager: Value
    inside: bool


HOOKED_LAYER = "call of a layer with a backward hook"
"""`form` of the event where a layer is called that its owner hooked for the backward pass."""


@dataclass(frozen=True, slots=True)
class Syntax(Event):
    """A language construct that Dynamo treats in its own way; `form` is a key of `torchfacts` syntax."""

    form: str
    operands: tuple[Value, ...] = ()


@dataclass(frozen=True, slots=True)
class Mutation(Event):
    """State that outlives the call is changed.

    `target` holds it; `name` is what is changed; `how` is `assign`, `augmented`, `item`, `delete` or the name of the
    mutating method.
    """

    target: Target
    name: str
    how: str
    value: Value = UNKNOWN
    owner: Any = None


@dataclass(frozen=True, slots=True)
class Placed(Event):
    """A tensor is used in a way whose cost depends on its device or on how it lies in memory. No graph ends here.

    `how` names the pattern: `host-built`, `host-random`, `host-kept`, `to-host`, `async-host`, `round-trip`, `literal`,
    `mismatch`, `read-into-tensor`, `dtype-round-trip`, `module-moved`, `module-to-host` for devices and dtypes; `view`,
    `expanded`, `expanded-item`, `multi-view`, `contiguous`, `memory-format`, `out`, `out-empty` for layouts; `data` for
    writes through `.data`. `name` is the operation as written, `detail` what it meets, `sure` how well both are known.
    `peer` names a parameter that is another tensor there, for a `literal`; empty where there is none.
    """

    how: Placement
    name: str
    receiver: Value
    detail: str
    sure: Confidence
    peer: str = ""


UnrecordedHow: TypeAlias = Literal[
    "input-written",
    "host-number",
    "drawn-number",
    "number-between",
    "host-index",
    "host-work",
    "mask-write",
    "control-flow",
    "refused",
    "tagged",
    "moved-once",
    "kept-output",
]
"""What keeps a stretch of code out of a CUDA graph."""


@dataclass(frozen=True, slots=True)
class Unrecorded(Event):
    """Something that a CUDA graph cannot hold, in a root whose mode records one. Dynamo's graph does not end there.

    `how`: a write to an argument (`input-written`); a 0-d tensor on the host (`host-number`), a number of Python's
    `random` (`drawn-number`) or one that Python made since the graph before (`number-between`) among tensors; an index
    that is a tensor on the host (`host-index`), an operation on a constant that Inductor leaves there (`host-work`), an
    item stored by a mask that must be turned into positions
    (`mask-write`), an operator with branches or loops of its own (`control-flow`), an operation that a capture refuses
    (`refused`), an operator that is tagged `cudagraph_unsafe` (`tagged`), a result that the next call reads from state
    (`kept-output`). `name` is the operation or the state, `value` what it meets, `given` the optional arguments of
    calls that get there, `unless` the dtype that code around it asks weights for, and which may lead elsewhere.
    """

    how: UnrecordedHow
    name: str
    value: Value
    sure: Confidence
    given: tuple[str, ...] = ()
    unless: str = ""


@dataclass(frozen=True, slots=True)
class StateChange(Event):
    """State that outlives the call, guarded by Dynamo and changed by the very code that is compiled.

    `how` is `counts` (a number or text that follows from its old value), `settles` (a number that stops changing),
    `varies` (a float, or an int of an enclosing function: dynamic after the first change), `flips` (one constant or
    function becomes another), `appears` (None, or nothing at all, becomes a value), `disappears`, `retypes` (a value
    becomes one of another type), `reshapes` (a tensor gets another dtype, size or layout), `gains-gradient`, `aliases`
    (a tensor becomes the one that another attribute holds), `gains-key` (another one
    in some calls), `fills` (in the first call, with what the later ones put there again), `grows` and `shrinks` (a
    container), `lengthens` (a tensor) or `advances` (an iterator). `where` is as in `interp.kept_state`; `name` is the
    state and `guard` the test that fails, as Dynamo spells them. `alone` says that nothing but the changing statement
    looks at it, `training` that only training changes it, `plain` that its object is known not to be a module.
    """

    how: StateHow
    where: StateWhere
    name: str
    guard: str
    sure: Confidence
    alone: bool = False
    training: bool = False
    plain: bool = False


@dataclass(frozen=True, slots=True)
class InputGuard(Event):
    """A test or loop whose outcome the caller's inputs decide, so that other inputs compile again.

    `how` is `size` (a number that follows from sizes), `number`, `text` or `optional` (an argument), or `layer` (an
    attribute that holds the number of a layer, in code that all layers share), or `longer` (a tensor of another length
    in each call); `guard` as Dynamo spells it. `loop` is the loop around the calls that
    changes the argument, if one was seen, and `count` how many values it has there (None
    where that is not written down).
    """

    how: GuardedInput
    name: str
    guard: str
    loop: Location | None = None
    count: int | None = None
