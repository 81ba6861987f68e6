"""Whether a value that state holds after the call fails the guard on the value that it held before.

Dynamo guards the type and length of a container, the identity of functions and classes, the class of an object, and of
a tensor its dtype, number of dimensions, sizes and strides (`TENSOR_MATCH`). A new object of the same class passes.
Nothing is said of values that are not known to be of one kind.
"""

from __future__ import annotations

from typing import Literal

from compilelint.events import StateHow
from compilelint.model import Confidence
from compilelint.project.classes import ClassInfo
from compilelint.values import (
    BoundMethod,
    ClassRef,
    Const,
    Dependence,
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
    type_name,
)

_CALLED = (FunctionRef, ClassRef, External, BoundMethod)


def replaced(initial: Value, value: Value, follows: bool = False) -> StateHow | Literal[""]:
    """How a value that took the place of another fails its guard; empty where it passes, or where that is unknown.

    `follows` says that it was made of the other.
    """
    if isinstance(value, Union):
        found = {replaced(initial, arm, follows) for arm in value.arms if not isinstance(arm, Unknown)}
        return found.pop() if len(found) == 1 else ""
    before, after = _kind(initial), _kind(value)
    if not before or not after:
        return ""
    return "retypes" if before != after else _of_one_type(initial, value, follows)


def _of_one_type(initial: Value, value: Value, follows: bool) -> StateHow | Literal[""]:
    """The same of two values of one type."""
    if isinstance(initial, Tensor) and isinstance(value, Tensor):
        return "reshapes" if _distinct(initial, value) else ""
    if isinstance(initial, Partial) and isinstance(value, Partial):
        return "flips" if _bound_otherwise(initial, value) else ""
    if isinstance(initial, Object) and isinstance(value, Object):
        return _fields(initial, value, follows)
    if isinstance(initial, Instance) and isinstance(value, Instance) and value.name == "torch.device":
        pairs = zip(initial.state, value.state, strict=False)
        return "flips" if any(_another_constant(one[1], other[1]) for one, other in pairs) else ""
    if isinstance(initial, _CALLED):
        return "" if _identity(initial) == _identity(value) else "flips"
    if isinstance(initial, Sequence) and isinstance(value, Sequence):
        return _sequence(initial, value)
    if isinstance(initial, Mapping) and isinstance(value, Mapping) and initial.exact and value.exact:
        keys = [name for name, _ in initial.entries]
        return "" if keys == [name for name, _ in value.entries] else "fills"
    return ""


def _kind(value: Value) -> str:
    """What a type guard distinguishes; empty for what is not known to be of one type."""
    if isinstance(value, Tensor):
        return "array" if value.array else "tensor"
    if isinstance(value, Partial):
        return "partial"
    if isinstance(value, Sequence):
        return value.kind if value.kind in ("tuple", "list", "set", "frozenset", "slice") else ""
    if isinstance(value, Mapping):
        return "dict"
    if isinstance(value, Object):
        return f"object of {value.cls.qualified_name}"
    if isinstance(value, Instance):
        return f"object of {value.name}"
    if isinstance(value, _CALLED):
        return "callable"
    if isinstance(value, (Const, Scalar)):
        return type_name(value) or ""
    return ""


def _identity(value: Value) -> object:
    """What stays the same of a function, class or bound method, however often it is looked up."""
    if isinstance(value, FunctionRef):
        return id(value.code)
    return value.key


def _bound_otherwise(initial: Partial, value: Partial) -> bool:
    """Whether another function, or another constant, is bound; tensors and objects may pass each other's guard."""
    called = isinstance(initial.function, _CALLED) and isinstance(value.function, _CALLED)
    if called and _identity(initial.function) != _identity(value.function):
        return True
    if len(initial.args) != len(value.args) or [k for k, _ in initial.keywords] != [k for k, _ in value.keywords]:
        return True
    before = (*initial.args, *(one for _, one in initial.keywords))
    after = (*value.args, *(one for _, one in value.keywords))
    return any(map(_another_constant, before, after))


def _fields(initial: Object, value: Object, follows: bool) -> StateHow | Literal[""]:
    """A tuple with named fields that holds another constant: what its items are is guarded where they are read."""
    cls = initial.cls
    if not isinstance(cls, ClassInfo) or not cls.descends_from("typing.NamedTuple"):
        return ""
    after = dict(value.fields)
    pairs = [(held, after.get(name, held)) for name, held in initial.fields]
    if follows and any(type_name(held) == "int" and isinstance(held, Const) and _computed(now) for held, now in pairs):
        return "counts"
    return "flips" if any(_another_constant(held, now) for held, now in pairs) else ""


def _computed(now: Value) -> bool:
    """Whether a number was computed from what the call found, sizes apart."""
    if isinstance(now, Union):
        return any(type_name(arm) == "int" for arm in now.arms)
    return isinstance(now, Scalar) and now.kind == "int" and now.dependence is Dependence.STATIC


def _another_constant(before: Value, after: Value) -> bool:
    return isinstance(before, Const) and isinstance(after, Const) and before.key != after.key


def _sequence(initial: Sequence, value: Sequence) -> StateHow | Literal[""]:
    """Another length; or constants that the code replaces by what it computes from sizes."""
    if initial.items is None:
        return ""
    if value.items is not None and len(value.items) != len(initial.items):
        return "flips"
    parts = value.items if value.items is not None else (value.element,)
    constant = bool(initial.items) and all(isinstance(one, Const) for one in initial.items)
    if constant and any(isinstance(one, Scalar) and one.dependence is Dependence.SHAPE for one in parts):
        return "settles"
    if constant and value.items is not None and all(isinstance(one, Const) for one in value.items):
        return "" if initial.key == value.key else "flips"
    return ""


def _distinct(initial: Tensor, value: Tensor) -> bool:
    """Whether dtype, number of dimensions, sizes or strides are known of both, and differ."""
    if min(initial.confidence, value.confidence) < Confidence.LIKELY:
        return False
    if initial.dtype and value.dtype and initial.dtype != value.dtype:
        return True
    if value.device == "meta" and initial.device != "meta":
        return True
    if initial.rank is not None and value.rank is not None and initial.rank != value.rank:
        return True
    if initial.sizes is not None and value.sizes is not None:
        numbers = [
            (one.number, other.number)
            for one, other in zip(initial.sizes, value.sizes, strict=False)
            if one is not None and other is not None
        ]
        if any(one is not None and other is not None and one != other for one, other in numbers):
            return True
    return initial.layout == "contiguous" and isinstance(value.layout, tuple) and not isinstance(value.layout, str)
