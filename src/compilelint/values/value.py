"""The kinds of abstract value. Every value has a `key`: equal keys mean equal beliefs, whatever the origin.

Values are frozen for the type checker and plain slotted objects at run time (see `model.slotted` for why);
changing one in place breaks every summary that holds it.

Every value has a `size`, counted as a tree: parts that are shared count as often as they are held, because keys, joins
and searches walk them as often. `a = (a, a)` sixty times is sixty objects and a walk of 2 ** 60, so no value grows
beyond `MAX_SIZE`: a container that would forgets what it holds when it is made. A container counts as `LEVEL` plain
values, which bounds how deeply they nest.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from types import EllipsisType
from typing import Any, ClassVar, Final, Literal, NamedTuple, TypeAlias

from compilelint.model import Confidence
from compilelint.model.sizes import Size, Sizes
from compilelint.model.slotted import slotted
from compilelint.values.origin import Code, Dependence, Named, Origin, Source

MAX_SIZE = 16_384
LEVEL = 32


@slotted
class Unknown:
    """Anything at all: says nothing, and nothing is said about it."""

    key: ClassVar[Hashable] = ("unknown",)
    size: ClassVar[int] = 1
    dependence: ClassVar[Dependence] = Dependence.STATIC


@slotted
class Bottom:
    """No value: code that cannot be reached, or a result not computed yet."""

    key: ClassVar[Hashable] = ("bottom",)
    size: ClassVar[int] = 1
    dependence: ClassVar[Dependence] = Dependence.STATIC


@slotted
class Const:
    """A Python constant that is known exactly."""

    value: Any
    size: ClassVar[int] = 1
    dependence: ClassVar[Dependence] = Dependence.STATIC

    @property
    def key(self) -> Hashable:
        return ("const", type(self.value).__name__, self.value)


@slotted
class Scalar:
    """A Python number, string or other plain object of known type and unknown value.

    `dependence` is SHAPE for what is computed from sizes (a SymInt under dynamic shapes), else STATIC: a number read
    from tensor data is STATIC again, because the read has ended the graph and the resumed frame holds a plain number.
    `usual` is the value it has unless a configuration, a caller or the environment sets another: a default. `number`
    says which number of a size it is, within one frame.
    """

    kind: str
    dependence: Dependence = Dependence.STATIC
    origin: Origin | None = None
    usual: Const | None = None
    number: Size | None = None
    size: ClassVar[int] = 1

    @property
    def key(self) -> Hashable:
        return ("scalar", self.kind, self.dependence, None if self.usual is None else self.usual.value, self.number)


class Permuted(NamedTuple):
    """A layout: which dimension of the contiguous tensor each dimension is."""

    order: tuple[int, ...]

    def __str__(self) -> str:
        return f"permuted {' '.join(map(str, self.order))}"


Layout: TypeAlias = Literal["", "contiguous", "strided", "sparse", "jagged", "expanded"] | Permuted
"""How a tensor lies in memory; "" is unknown, `strided` any way that is neither contiguous nor known, `jagged` that of
nested tensors."""


@slotted
class Tensor:
    """A tensor, or a NumPy array (`array`), which Dynamo traces as one.

    dtype: "bool" | "int" | "float" | "complex" | "" (unknown); rank: number of dimensions, None if unknown;
    device: "cpu" | "cuda" | ... | "" (unknown); sizes: one for each dimension, None for those that are not known, and
    where none is. Symbols among them mean something in one frame only. cls: a class of the program, None for torch's
    own or where that is not known.
    """

    dtype: str = ""
    rank: int | None = None
    source: Source = Source.COMPUTED
    layout: Layout = ""
    device: str = ""
    array: bool = False
    confidence: Confidence = Confidence.CERTAIN
    origin: Origin | None = None
    sizes: Sizes | None = None
    cls: Named | None = None
    size: ClassVar[int] = 1
    dependence: ClassVar[Dependence] = Dependence.DATA

    @property
    def key(self) -> Hashable:
        known = ("tensor", self.dtype, self.rank, self.source, self.layout, self.device, self.array, self.confidence)
        if self.cls is not None:
            return (known, self.sizes, self.cls.qualified_name)
        return known if self.sizes is None else (known, self.sizes)

    @property
    def is_computed_scalar(self) -> bool:
        """A 0-d tensor whose number is not known before the graph has run."""
        return self.rank == 0 and self.source is Source.COMPUTED

    def but(
        self,
        *,
        dtype: str | None = None,
        rank: int | EllipsisType | None = ...,
        source: Source | None = None,
        layout: Layout | None = None,
        device: str | None = None,
        array: bool | None = None,
        confidence: Confidence | None = None,
        origin: Origin | EllipsisType | None = ...,
        sizes: Sizes | EllipsisType | None = ...,
    ) -> Tensor:
        """A copy with some fields changed; with another rank or layout, sizes that are not given are not known."""
        # Spelled out: `dataclasses.replace` costs four times as much, and this runs for every operation.
        return Tensor(
            self.dtype if dtype is None else dtype,
            self.rank if rank is ... else rank,
            self.source if source is None else source,
            self.layout if layout is None else layout,
            self.device if device is None else device,
            self.array if array is None else array,
            self.confidence if confidence is None else confidence,
            self.origin if origin is ... else origin,
            (self.sizes if rank is ... and layout is None else None) if sizes is ... else sizes,
            self.cls,
        )

    def of_class(self, cls: Named | None) -> Tensor:
        """The same tensor as one of a class of the program."""
        made = self.but()
        made.cls = cls  # type: ignore[misc]
        return made


SequenceKind: TypeAlias = Literal[
    "tuple",
    "list",
    "set",
    "frozenset",
    "range",
    "slice",
    "iterator",
    "generator",
    "lazy generator",
    "rebuilt iterator",
    "count",
    "iterator from outside",
]
"""`count` is `itertools.count`; Dynamo cannot advance an iterator from outside, which a module made at import, nor
rebuild a lazy generator behind a graph break. A rebuilt iterator is one from outside behind it."""

REBUILT: Final = "rebuilt iterator"
"""The kind of what `zip`, `map` and `filter` make."""

LAZY: Final = "lazy generator"
"""The kind of what walks the parts of a module, of a generator expression and of `enumerate`."""


@slotted
class Sequence:
    """A tuple, list, set, range or iterator. `items` when all are known, else None and `element` stands for each."""

    kind: SequenceKind
    items: tuple[Value, ...] | None
    element: Value
    _key: Hashable = None
    size: int = LEVEL
    dependence: ClassVar[Dependence] = Dependence.STATIC

    def __post_init__(self) -> None:
        if self.items is None:
            size = LEVEL + self.element.size
        else:
            size = LEVEL
            for one in self.items:
                size += one.size
        if size > MAX_SIZE:
            self.element = _any_of(self.items or ())  # type: ignore[misc]
            self.items = None  # type: ignore[misc]
            size = LEVEL + 1
        self.size = size  # type: ignore[misc]

    @property
    def key(self) -> Hashable:
        if self._key is None:
            inside = self.element.key if self.items is None else tuple([v.key for v in self.items])
            self._key = ("sequence", self.kind, inside)  # type: ignore[misc]
        return self._key


@slotted
class Mapping:
    """A dict: the entries under known constant keys, those that may be there, and what any other entry may be."""

    entries: tuple[tuple[Any, Value], ...]
    element: Value
    exact: bool = False
    maybe: tuple[tuple[Any, Value], ...] = ()
    _key: Hashable = None
    size: int = LEVEL
    dependence: ClassVar[Dependence] = Dependence.STATIC

    def __post_init__(self) -> None:
        size = LEVEL + self.element.size
        for _, one in self.entries:
            size += one.size
        for _, one in self.maybe:
            size += one.size
        if size > MAX_SIZE:
            self.element = _any_of([one for _, one in (*self.entries, *self.maybe)])  # type: ignore[misc]
            self.entries, self.exact, self.maybe = (), False, ()  # type: ignore[misc]
            size = LEVEL + 1
        self.size = size  # type: ignore[misc]

    @property
    def key(self) -> Hashable:
        if self._key is None:
            entries = frozenset([(k, v.key) for k, v in self.entries])
            maybe = frozenset([(k, v.key) for k, v in self.maybe])
            self._key = ("mapping", entries, self.element.key, self.exact, maybe)  # type: ignore[misc]
        return self._key

    def get(self, name: Any) -> Value | None:
        """The entry under a constant key, None if it is not known to be there."""
        return _under(self.entries, name)

    def held(self, name: Any) -> Value | None:
        """What lies under a constant key if anything does, None if nothing is known of that key."""
        found = _under(self.entries, name)
        return _under(self.maybe, name) if found is None else found

    @property
    def rest(self) -> tuple[Value, ...]:
        """What may lie in it beside the entries that are there for certain."""
        return (*[v for _, v in self.maybe], self.element)


@slotted
class Object:
    """An instance of a class of the analysed program. `fields` hold what its construction in the region stored.

    `held` are the attributes that one construction outside of any region is known to have stored: what this instance
    has and others of its class may not (the model that a wrapper was given).
    """

    cls: Named
    fields: tuple[tuple[str, Value], ...] = ()
    inside: bool = False
    held: tuple[tuple[str, Value], ...] = ()
    _key: Hashable = None
    size: int = LEVEL
    dependence: ClassVar[Dependence] = Dependence.STATIC

    def __post_init__(self) -> None:
        if self.fields:
            self.fields, self.size = _held(self.fields)  # type: ignore[misc]
        if self.held:
            self.held, size = _held(self.held)  # type: ignore[misc]
            self.size = max(self.size, size)  # type: ignore[misc]

    @property
    def key(self) -> Hashable:
        if self._key is None:
            fields = tuple([(k, v.key) for k, v in self.fields])
            held = tuple([(k, v.key) for k, v in self.held])
            self._key = ("object", self.cls.qualified_name, fields, self.inside, held)  # type: ignore[misc]
        return self._key


@slotted
class Instance:
    """An instance of a library class (`torch.nn.Linear`, `logging.Logger`).

    `inside` says that it was made in the region: context managers and iterators differ by that. `state` carries what
    its constructor was given where later calls depend on it.
    """

    name: str
    inside: bool = False
    state: tuple[tuple[str, Value], ...] = ()
    size: int = LEVEL
    dependence: ClassVar[Dependence] = Dependence.STATIC

    def __post_init__(self) -> None:
        if self.state:
            self.state, self.size = _held(self.state)  # type: ignore[misc]

    @property
    def key(self) -> Hashable:
        return ("instance", self.name, self.inside, tuple([(k, v.key) for k, v in self.state]))


@slotted
class External:
    """A module, function or class of a library, by its canonical dotted name."""

    name: str
    size: ClassVar[int] = 1
    dependence: ClassVar[Dependence] = Dependence.STATIC

    @property
    def key(self) -> Hashable:
        return ("external", self.name)


@slotted
class ClassRef:
    """A class of the analysed program, as an object."""

    cls: Named
    size: ClassVar[int] = 1
    dependence: ClassVar[Dependence] = Dependence.STATIC

    @property
    def key(self) -> Hashable:
        return ("class", self.cls.qualified_name)


def serial_of(frame: Any) -> int:
    """Which frame of the run it is, 0 for none; its `id` would belong to another frame once this one is gone."""
    return 0 if frame is None else int(frame.serial)


@slotted
class FunctionRef:
    """A function of the analysed program. `closure` is the frame it was made in; `receiver` is `self` once bound."""

    code: Code
    receiver: Value | None = None
    closure: Any = None
    size: int = LEVEL
    dependence: ClassVar[Dependence] = Dependence.STATIC

    def __post_init__(self) -> None:
        if self.receiver is not None:
            self.receiver, self.size = _bound(self.receiver)  # type: ignore[misc]

    @property
    def key(self) -> Hashable:
        receiver = None if self.receiver is None else self.receiver.key
        return ("function", id(self.code), receiver, serial_of(self.closure))


@slotted
class BoundMethod:
    """A method of a value that is no object of the program: `x.sum`, `names.append`."""

    receiver: Value
    name: str
    size: int = LEVEL
    dependence: ClassVar[Dependence] = Dependence.STATIC

    def __post_init__(self) -> None:
        self.receiver, self.size = _bound(self.receiver)  # type: ignore[misc]

    @property
    def key(self) -> Hashable:
        return ("method", self.receiver.key, self.name)


@slotted
class Partial:
    """`functools.partial(function, *args, **keywords)`."""

    function: Value
    args: tuple[Value, ...]
    keywords: tuple[tuple[str, Value], ...]
    size: int = LEVEL
    dependence: ClassVar[Dependence] = Dependence.STATIC

    def __post_init__(self) -> None:
        self.function, size = _bound(self.function)  # type: ignore[misc]
        size += sum([one.size for one in self.args]) + sum([one.size for _, one in self.keywords])
        if size > MAX_SIZE:
            self.function, self.args, self.keywords = UNKNOWN, (), ()  # type: ignore[misc]
            size = LEVEL + 1
        self.size = size  # type: ignore[misc]

    @property
    def key(self) -> Hashable:
        return (
            "partial",
            self.function.key,
            tuple([a.key for a in self.args]),
            tuple([(k, v.key) for k, v in self.keywords]),
        )


@slotted
class Compiled:
    """What `torch.compile(target)` returns: it behaves as the target. `call` is the compile call that made it."""

    target: Value
    call: Any = None
    size: int = LEVEL
    dependence: ClassVar[Dependence] = Dependence.STATIC

    def __post_init__(self) -> None:
        self.target, self.size = _bound(self.target)  # type: ignore[misc]

    @property
    def key(self) -> Hashable:
        return ("compiled", self.target.key, id(self.call))


@slotted
class Union:
    """One of several values; made by `join` only, never nested, each arm with a key of its own."""

    arms: tuple[Value, ...]
    _key: Hashable = None
    size: int = 1
    dependence: ClassVar[Dependence] = Dependence.STATIC

    def __post_init__(self) -> None:
        size = 0
        for one in self.arms:
            size += one.size
        self.size = size  # type: ignore[misc]  # bounded: arms are few, and containers of it forget

    @property
    def key(self) -> Hashable:
        if self._key is None:  # kept: of all values, unions are asked most often and take longest
            self._key = ("union", frozenset([a.key for a in self.arms]))  # type: ignore[misc]
        return self._key


Value: TypeAlias = (
    Unknown
    | Bottom
    | Const
    | Scalar
    | Tensor
    | Sequence
    | Mapping
    | Object
    | Instance
    | External
    | ClassRef
    | FunctionRef
    | BoundMethod
    | Partial
    | Compiled
    | Union
)

UNKNOWN = Unknown()
BOTTOM = Bottom()
NONE = Const(None)
TRUE = Const(True)
FALSE = Const(False)
INT = Scalar("int")


def _under(entries: tuple[tuple[Any, Value], ...], name: Any) -> Value | None:
    for k, v in entries:
        if k == name and type(k) is type(name):
            return v
    return None


def _any_of(values: Iterable[Value]) -> Value:
    """What stands for each of too many values: their type where all are plain and of one, else unknown."""
    kinds = {type(one.value) if isinstance(one, Const) else None for one in values}
    kind = kinds.pop() if len(kinds) == 1 else None
    return Scalar(kind.__name__) if kind in (bool, int, float, str) and kind is not None else UNKNOWN


def _held(pairs: tuple[tuple[str, Value], ...]) -> tuple[tuple[tuple[str, Value], ...], int]:
    """What an object holds by name, and its size; nothing where that is too large."""
    size = LEVEL
    for _, one in pairs:
        size += one.size
    return (pairs, size) if size <= MAX_SIZE else ((), LEVEL)


def _bound(value: Value) -> tuple[Value, int]:
    """What a callable is bound to, and the size of both."""
    size = LEVEL + value.size
    return (value, size) if size <= MAX_SIZE else (UNKNOWN, LEVEL + 1)
