"""Join, and the few questions about unions that every part of the interpreter asks.

The order: Bottom below everything; Unknown is *not* a top that swallows, but an arm like any other, because "a tensor
on one path, anything on the other" is still a tensor on one path. Unions wider than `MAX_ARMS` give up for Unknown
all but tensors and None. Two tensors join to one: what they disagree on becomes unknown, the weaker evidence counts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from compilelint.model import Doubt
from compilelint.model.sizes import Sizes
from compilelint.values.exhaustive import unhandled
from compilelint.values.origin import Dependence, Source
from compilelint.values.value import (
    BOTTOM,
    UNKNOWN,
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
    Tensor,
    Union,
    Unknown,
    Value,
)

MAX_ARMS = 6
MAX_CALLABLES = 64  # functions and classes do not count: a table of them is called through all its entries
_DEEP = 4
_DEEPER = 8  # so many levels more where nothing may be left
_LONG = 12


def join(a: Value, b: Value) -> Value:
    """The least value that covers both."""
    if a is b or b is BOTTOM:
        return a
    if a is BOTTOM:
        return b
    if a.__class__ is b.__class__:
        if a.key == b.key:
            return a
        if isinstance(a, Tensor) and isinstance(b, Tensor):
            return _join_tensors(a, b)
    return join_all((a, b))


def join_all(values: Iterable[Value]) -> Value:
    """`join` over any number of values; Bottom for none."""
    found: list[Value] = []
    for value in values:
        if isinstance(value, Union):
            for arm in value.arms:
                _add(found, arm)
        elif not found:
            if value.__class__ is not Bottom:
                found.append(value)
        elif value is not found[0]:
            _add(found, value)
    if len(found) <= 1:
        return found[0] if found else BOTTOM
    if len(found) > MAX_ARMS:
        callables = sum([a.__class__ is FunctionRef or a.__class__ is ClassRef for a in found])
        if len(found) - callables > MAX_ARMS or callables > MAX_CALLABLES:
            found = [a for a in found if isinstance(a, Tensor) or (isinstance(a, Const) and a.value is None)]
            found.append(UNKNOWN)
            if len(found) == 1:
                return UNKNOWN
    return Union(tuple(found))


def _add(found: list[Value], arm: Value) -> None:
    kind = arm.__class__
    if kind is Bottom:
        return
    if not found:
        found.append(arm)
        return
    key = None
    for i, other in enumerate(found):
        if other is arm:
            return
        if other.__class__ is kind:  # keys of different kinds differ
            key = arm.key if key is None else key
            if other.key == key:
                return
        elif kind not in _PLAIN_VALUES or other.__class__ not in _PLAIN_VALUES:
            continue
        merged = _merge(other, arm)
        if merged is not None:
            found[i] = merged
            return
    found.append(arm)


_MERGED = frozenset((Tensor, Const, Scalar, Sequence, Mapping))
_PLAIN_VALUES = frozenset((Const, Scalar))  # a constant and a number of its kind make one arm


def _merge(a: Value, b: Value) -> Value | None:
    """One arm in place of two that differ in detail only; None if they must stay apart."""
    if a.__class__ not in _MERGED:  # most of what is met: unknown, objects, functions
        return None
    if isinstance(a, Tensor) and isinstance(b, Tensor):
        return _join_tensors(a, b)
    if isinstance(a, (Const, Scalar)) and isinstance(b, (Const, Scalar)):
        return _join_scalars(a, b)
    if isinstance(a, Sequence) and isinstance(b, Sequence) and a.kind == b.kind:
        if a.items is not None and b.items is not None and len(a.items) == len(b.items):
            items = tuple([join(x, y) for x, y in zip(a.items, b.items, strict=True)])
            return Sequence(a.kind, items, BOTTOM)
        if a.kind == "tuple" and a.items is not None and b.items is not None and len(a.items) + len(b.items) <= _LONG:
            return None  # results of different length: an index means different things in them
        return Sequence(a.kind, None, join(element_of(a), element_of(b)))
    if isinstance(a, Mapping) and isinstance(b, Mapping):
        return _join_mappings(a, b)
    return None


def _join_mappings(a: Mapping, b: Mapping) -> Mapping:
    """Both at once: a key that only one of them has may be there."""
    if not a.entries and not b.entries and not a.maybe and not b.maybe:
        return Mapping((), join(a.element, b.element), a.exact and b.exact)
    entries = tuple([(k, join(v, other)) for k, v in a.entries if (other := b.get(k)) is not None])
    sure = Mapping(entries, BOTTOM)
    maybe: dict[tuple[type, object], tuple[object, Value]] = {}  # `1`, `True` and `1.0` are one key to Python
    for one, other in ((a, b), (b, a)):
        for k, v in (*one.entries, *one.maybe):
            if (
                sure.get(k) is None
            ):  # where the other has it among those whose keys are not known, it holds what they do
                held = other.held(k)
                maybe[type(k), k] = (k, join(v, other.element if held is None else held))
    exact = a.exact and b.exact and not maybe
    return Mapping(entries, join(a.element, b.element), exact, tuple(maybe.values()))


def element_of(sequence: Sequence) -> Value:
    """What any one item of the sequence may be."""
    return sequence.element if sequence.items is None else join_all(sequence.items)


def _join_tensors(a: Tensor, b: Tensor) -> Tensor:
    # The stronger source counts: computed on one path means not known before the graph has run on that path.
    weaker = a if a.confidence <= b.confidence else b
    return Tensor(
        a.dtype if a.dtype == b.dtype else "",
        a.rank if a.rank == b.rank else None,
        max(a.source, b.source),
        a.layout if a.layout == b.layout else "",
        a.device if a.device == b.device else "",
        a.array and b.array,
        weaker.confidence,
        a.origin or b.origin,
        _join_sizes(a, b),
        a.cls if a.cls is b.cls else None,
    )


def _join_sizes(a: Tensor, b: Tensor) -> Sizes | None:
    """The sizes that both have."""
    if a.sizes is None or b.sizes is None or len(a.sizes) != len(b.sizes):
        return None
    sizes = tuple([x if x == y else None for x, y in zip(a.sizes, b.sizes, strict=True)])
    return sizes if any(sizes) else None


_KINDS = {bool: "bool", int: "int", float: "float", str: "str", complex: "complex", bytes: "bytes"}


def type_name(value: Value) -> str:
    """The type of a constant or of a value known by type only: "int", "NoneType", ...; "" for anything else."""
    if isinstance(value, Scalar):
        return value.kind
    return type(value.value).__name__ if isinstance(value, Const) else ""


def kind_of(value: Const | Scalar) -> str:
    """The type name of a plain Python value: "int", "str", ..., "" for None and the rest."""
    return value.kind if isinstance(value, Scalar) else _KINDS.get(type(value.value), "")


def _join_scalars(a: Const | Scalar, b: Const | Scalar) -> Value | None:
    kind = kind_of(a)
    if not kind or kind != kind_of(b):
        return None
    origin = getattr(a, "origin", None) or getattr(b, "origin", None)
    usual, other = usual_of(a), usual_of(b)
    same = usual is not None and other is not None and usual.value == other.value
    needed = max(a.dependence, b.dependence)
    if a.dependence is not b.dependence and needed is Dependence.DRAWN:
        needed = Dependence.DATA  # on one path there is a plain number
    number = a.number if isinstance(a, Scalar) and isinstance(b, Scalar) and a.number == b.number else None
    return Scalar(kind, needed, origin, usual if same else None, number)


def usual_of(value: Value) -> Const | None:
    """What a plain value is unless something sets another; a constant is itself. None if that is not known."""
    if isinstance(value, Const):
        return value
    if isinstance(value, Union):  # a default beside what nothing is known of
        known = [arm for arm in value.arms if arm is not UNKNOWN]
        return known[0].usual if len(known) == 1 and isinstance(known[0], Scalar) else None
    return value.usual if isinstance(value, Scalar) else None


def arms(value: Value) -> tuple[Value, ...]:
    """The alternatives of a value; itself alone if it is no union."""
    return value.arms if value.__class__ is Union else (value,)


def uncompiled(value: Value) -> Value:
    """The value as compiled code meets it: what was compiled is, in a region, what it was before."""
    if isinstance(value, Compiled):
        return uncompiled(value.target)
    if isinstance(value, Union) and any(isinstance(a, Compiled) for a in value.arms):
        return join_all([uncompiled(a) for a in value.arms])
    return value


def tensor_arm(value: Value) -> Tensor | None:
    """The tensor that the value is or may be, with its confidence lowered if it is one arm of several.

    None beside a tensor costs `certain` as any other arm does: only the input decides which of them arrives.
    """
    kind = value.__class__
    if kind is Tensor:
        return value  # type: ignore[return-value]  # asked for by the hundred thousand, so not by `isinstance`
    if kind is Union:
        for arm in value.arms:  # type: ignore[union-attr]
            if isinstance(arm, Tensor):
                cap = Doubt.ONE_OF_SEVERAL.cap
                return arm if arm.confidence <= cap else arm.but(confidence=cap)
    return None


def dependence(value: Value) -> Dependence:
    """The strongest dependence of any arm."""
    if isinstance(value, Union):
        return max(dependence(a) for a in value.arms)
    return value.dependence


def is_none(value: Value) -> bool | None:
    """Whether the value is None: True, False, or None if both may be."""
    if isinstance(value, Const):
        return value.value is None
    if isinstance(value, Unknown):
        return None
    if isinstance(value, Union):
        answers = {is_none(a) for a in value.arms}
        return answers.pop() if len(answers) == 1 else None
    return False


def without(value: Value, kind: type[Value] | tuple[type[Value], ...]) -> Value:
    """The value less its arms of some kind (narrowing); Bottom if nothing is left."""
    return join_all([a for a in arms(value) if not isinstance(a, kind)])


def truth(value: Value) -> bool | None:
    """What `if value` does, as far as it is known: True, False or None. Tensors are never known."""
    if isinstance(value, Const):
        return bool(value.value)
    if isinstance(value, Sequence):
        return bool(value.items) if value.items is not None else None
    if isinstance(value, Mapping):
        return True if value.entries else (False if value.exact else None)
    if isinstance(value, Union):
        answers = {truth(a) for a in value.arms}
        return answers.pop() if len(answers) == 1 else None
    return None


def is_drawn(value: Value | None) -> bool:
    """Whether the value is a number that Python's `random` drew since the last graph break."""
    return isinstance(value, Scalar) and value.dependence is Dependence.DRAWN


def resumed(value: Value) -> Value:
    """The value as the resumed frame sees it after a graph break: what was computed is an input again.

    The value itself where nothing in it was computed.
    """
    return value if value.__class__ in PLAIN else _each(value, _resumed, 0)


def _resumed(value: Tensor | Scalar) -> Value:
    if isinstance(value, Scalar):
        return Scalar(value.kind, origin=value.origin) if is_drawn(value) else value
    return value.but(source=Source.INPUT) if value.source >= Source.LITERAL else value


def unsized(value: Value, since: int = 0) -> Value:
    """The value without sizes that hold symbols of this serial number or above; the value itself where it has none."""
    if isinstance(value, (Tensor, Scalar)):
        return _unsized(value, since)
    return value if value.__class__ in PLAIN else _each(value, lambda leaf: _unsized(leaf, since), -_DEEPER)


def _unsized(value: Tensor | Scalar, since: int) -> Value:
    if isinstance(value, Scalar):
        if value.number is None or value.number.newest < since:
            return value
        return Scalar(value.kind, value.dependence, value.origin, value.usual)
    if value.sizes is None or all(one is None or one.newest < since for one in value.sizes):
        return value
    kept = tuple([one if one is not None and one.newest < since else None for one in value.sizes])
    return value.but(sizes=kept if any(kept) else None)


def _each(value: Value, change: Callable[[Tensor | Scalar], Value], depth: int) -> Value:
    """The value with every tensor and number in it changed; itself where none was."""
    kind = value.__class__
    if isinstance(value, (Tensor, Scalar)):
        return change(value)
    if kind in PLAIN or depth >= _DEEP:
        return value
    if isinstance(value, Union):
        arms_ = _all(value.arms, change, depth)
        return value if arms_ is value.arms else Union(arms_)
    if isinstance(value, Sequence):
        items = None if value.items is None else _all(value.items, change, depth)
        element = _each(value.element, change, depth + 1)
        same = items is value.items and element is value.element
        return value if same else Sequence(value.kind, items, element)
    if isinstance(value, Mapping):
        entries, maybe = _pairs(value.entries, change, depth), _pairs(value.maybe, change, depth)
        element = _each(value.element, change, depth + 1)
        same = entries is value.entries and element is value.element and maybe is value.maybe
        return value if same else Mapping(entries, element, value.exact, maybe)
    if isinstance(value, Object):
        if not value.fields and not value.held:
            return value
        fields, held = _pairs(value.fields, change, depth), _pairs(value.held, change, depth)
        same = fields is value.fields and held is value.held
        return value if same else Object(value.cls, fields, value.inside, held)
    if isinstance(value, Instance):
        if not value.state:
            return value
        state = _pairs(value.state, change, depth)
        return value if state is value.state else Instance(value.name, value.inside, state)
    if isinstance(value, Partial):
        args, keywords = _all(value.args, change, depth), _pairs(value.keywords, change, depth)
        same = args is value.args and keywords is value.keywords
        return value if same else Partial(value.function, args, keywords)
    if isinstance(value, BoundMethod):
        receiver = _each(value.receiver, change, depth + 1)
        return value if receiver is value.receiver else BoundMethod(receiver, value.name)
    if isinstance(value, (Const, Unknown, Bottom, ClassRef, FunctionRef, External, Compiled)):
        return value
    return unhandled(value)


PLAIN = frozenset((Const, Unknown, Bottom, ClassRef, FunctionRef, External))
"""The kinds that hold nothing a graph break changes: `resumed` gives them back, and need not be asked."""


def _all(values: tuple[Value, ...], change: Callable[[Tensor | Scalar], Value], depth: int) -> tuple[Value, ...]:
    new: list[Value] | None = None
    for i, old in enumerate(values):
        if old.__class__ in PLAIN:
            continue
        now = _each(old, change, depth + 1)
        if now is not old:
            new = list(values) if new is None else new
            new[i] = now
    return values if new is None else tuple(new)


def _pairs(
    pairs: tuple[tuple[Any, Value], ...], change: Callable[[Tensor | Scalar], Value], depth: int
) -> tuple[tuple[Any, Value], ...]:
    values = tuple([value for _, value in pairs])
    new = _all(values, change, depth)
    return pairs if new is values else tuple([(k, v) for (k, _), v in zip(pairs, new, strict=True)])
