"""`isinstance` on abstract values: what a value certainly is, certainly is not, or may be."""

from __future__ import annotations

from typing import TypeAlias

from compilelint.interp.kinds import enumerations
from compilelint.model import Confidence
from compilelint.project.classes import ClassInfo
from compilelint.values import (
    NONE,
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
    Member,
    Object,
    Origin,
    Partial,
    Scalar,
    Sequence,
    SequenceKind,
    Source,
    Tensor,
    Union,
    Unknown,
    Value,
    arms,
    join_all,
    type_name,
    unhandled,
)

Type: TypeAlias = "str | ClassInfo"

_TENSOR_CLASSES = {
    "torch.Tensor": "",
    "torch.FloatTensor": "float",
    "torch.HalfTensor": "float",
    "torch.BFloat16Tensor": "float",
    "torch.DoubleTensor": "float",
    "torch.LongTensor": "int",
    "torch.IntTensor": "int",
    "torch.ShortTensor": "int",
    "torch.ByteTensor": "int",
    "torch.BoolTensor": "bool",
    "torch.cuda.FloatTensor": "float",
    "torch.cuda.LongTensor": "int",
    "torch.cuda.HalfTensor": "float",
    "torch.cuda.BoolTensor": "bool",
}
_NUMBERS = frozenset({"numbers.Number", "numbers.Real", "numbers.Integral"})
BARE: dict[str, SequenceKind] = {"list": "list", "tuple": "tuple", "set": "set"}
"""Kinds of sequence by the names of their classes."""

_SEQUENCES = frozenset({"collections.abc.Sequence", "collections.abc.Iterable", "typing.Sequence", "typing.Iterable"})
_MAPPINGS = frozenset({"collections.abc.Mapping", "typing.Mapping", "collections.abc.MutableMapping", "typing.Dict"})
_SCALARS = {"int": {"int"}, "bool": {"bool", "int"}, "float": {"float"}, "str": {"str"}, "complex": {"complex"}}


def tensor_class(name: str) -> str | None:
    """The dtype class of a tensor type's name ("" for any), None for what is no tensor type."""
    return _TENSOR_CLASSES.get(name)


def types_of(value: Value) -> tuple[Type, ...] | None:
    """The types that the second argument of `isinstance` names; None if that is not known."""
    if isinstance(value, Sequence):
        if value.items is None:
            return None
        found = [types_of(item) for item in value.items]
        return None if any(t is None for t in found) else tuple(t for ts in found if ts for t in ts)
    if isinstance(value, External):
        return (value.name,)
    if isinstance(value, ClassRef) and isinstance(value.cls, ClassInfo):
        return (value.cls,)
    return None


def matches(arm: Value, wanted: Type) -> bool | None:
    """Whether one arm is an instance of one type: True, False, or None if it may be."""
    if isinstance(arm, Tensor):
        answer = _tensor_matches(arm, wanted)
        # A tensor by its name or by what is done to it gives way to a test that asks for something else.
        return None if answer is False and arm.confidence is not Confidence.CERTAIN else answer
    if isinstance(arm, Object):
        return _object_matches(arm, wanted)
    if isinstance(arm, Const) and isinstance(arm.value, Member):
        return _object_matches(enumerations.as_object(arm.value), wanted)
    if isinstance(arm, Instance):
        if wanted == arm.name:
            return True
        return None if isinstance(wanted, str) and not wanted.startswith("builtins.") else False
    if not isinstance(wanted, str):
        return _of_no_class(arm, wanted)
    if isinstance(arm, (Const, Scalar)):
        return _scalar_matches(type_name(arm), wanted)
    if isinstance(arm, Sequence):
        if wanted == f"builtins.{arm.kind}" or wanted in _SEQUENCES:
            return True
        known = wanted.startswith(("builtins.", "torch.", "numpy.")) and arm.kind in ("list", "tuple", "set")
        return False if known else None
    if isinstance(arm, Mapping):
        if wanted in _MAPPINGS or wanted == "builtins.dict":
            return True
        return False if wanted.startswith(("builtins.", "torch.")) else None
    if isinstance(arm, (FunctionRef, BoundMethod)):
        return wanted in ("types.FunctionType", "collections.abc.Callable", "typing.Callable")
    if isinstance(arm, (External, ClassRef, Partial, Compiled, Union, Unknown, Bottom)):
        return None
    return unhandled(arm)


def _of_no_class(arm: Value, wanted: ClassInfo) -> bool | None:
    """Whether what is no object is an instance of a class of the program."""
    if isinstance(arm, (Const, Scalar)) and enumerations.is_enumeration(wanted):
        return None  # a member that is a number or text as well
    return False if isinstance(arm, (Const, Scalar, Sequence, Mapping, FunctionRef)) else None


def _scalar_matches(kind: str, wanted: str) -> bool:
    if kind == "NoneType":
        return wanted in ("types.NoneType", "builtins.object")
    if wanted in _NUMBERS:
        return kind in ("int", "float", "bool", "complex")
    if wanted in _SEQUENCES:
        return kind in ("str", "bytes")
    return wanted.removeprefix("builtins.") in _SCALARS.get(kind, {kind}) or wanted == "builtins.object"


def _tensor_matches(arm: Tensor, wanted: Type) -> bool | None:
    if not isinstance(wanted, str):
        return False
    if wanted == "numpy.ndarray":
        return arm.array
    if wanted == "torch.nn.Parameter":
        return None if arm.source in (Source.PARAMETER, Source.INPUT) else False
    if wanted == "torch.Tensor":
        return not arm.array
    if wanted in _TENSOR_CLASSES:
        return None
    return False if wanted.startswith(("builtins.", "collections.", "typing.", "numbers.")) else None


def _object_matches(arm: Object, wanted: Type) -> bool | None:
    cls = arm.cls
    if not isinstance(cls, ClassInfo):
        return None
    if isinstance(wanted, str):
        if wanted in cls.external_bases:
            return True
        return None if wanted.startswith("torch.") else False
    if wanted in cls.mro:
        return True
    # The value may be of a subclass that is also a subclass of what is asked for.
    return None if cls in wanted.mro else False


def is_instance(value: Value, wanted: tuple[Type, ...]) -> bool | None:
    """`isinstance(value, wanted)` over all arms."""
    answers = set()
    for arm in arms(value):
        found = [matches(arm, t) for t in wanted]
        answers.add(True if True in found else (None if None in found else False))
    return answers.pop() if len(answers) == 1 else None


def narrowed_to(known: Value, wanted: tuple[Type, ...], taken: bool, origin: Origin) -> Value | None:
    """The value after `isinstance` came out as `taken`; None if that cannot happen."""
    kept: list[Value] = []
    for arm in arms(known):
        answer = is_instance(arm, wanted)
        doubtful = isinstance(arm, Tensor) and arm.confidence is not Confidence.CERTAIN and answer is None
        if taken and (arm is UNKNOWN or doubtful):
            kept.extend(_made(t, origin) for t in wanted)
        elif answer is None or answer is taken:
            kept.append(arm)
    return join_all(kept) if kept else None


def _made(wanted: Type, origin: Origin) -> Value:
    """What an unknown value becomes once it is known to be of a type."""
    if not isinstance(wanted, str):
        return Object(wanted)
    dtype = _TENSOR_CLASSES.get(wanted)
    if dtype is not None:
        return Tensor(dtype, None, Source.INPUT, origin=origin)
    if wanted == "numpy.ndarray":
        return Tensor("", None, Source.INPUT, array=True, origin=origin)
    name = wanted.removeprefix("builtins.")
    if name in _SCALARS:
        return Scalar(name)
    if name in BARE:
        return Sequence(BARE[name], None, UNKNOWN)
    if name == "dict":
        return Mapping((), UNKNOWN)
    return NONE if name == "types.NoneType" else UNKNOWN
