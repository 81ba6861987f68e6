"""What `+`, `==`, `in` and the others make of abstract values. Emits the few that end a graph by themselves."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from compilelint import events
from compilelint.interp.core import measured
from compilelint.interp.core.args import Args
from compilelint.interp.core.dtypes import dtype_class
from compilelint.interp.core.frame import Frame
from compilelint.interp.core.outcomes import between_graphs
from compilelint.interp.core.perform import Operation, perform
from compilelint.interp.devices import capture, placement
from compilelint.interp.kinds import drawn_numbers, recurrent_layers, special_methods
from compilelint.interp.kinds.tensors import USUALLY
from compilelint.interp.refusals import object_kinds
from compilelint.model.sizes import Size, constant, minus, over, plus, times
from compilelint.project.classes import ClassInfo
from compilelint.torchfacts import SyntaxForm
from compilelint.torchfacts.size_rules import broadcast
from compilelint.values import (
    BOTTOM,
    FALSE,
    TRUE,
    UNKNOWN,
    Const,
    Dependence,
    External,
    Instance,
    Mapping,
    Member,
    Object,
    OriginKind,
    Scalar,
    Sequence,
    Source,
    Tensor,
    Union,
    Unknown,
    Value,
    is_drawn,
    is_none,
    join,
    join_all,
    tensor_arm,
    type_name,
    unsized,
    usual_of,
)

_FOLD: dict[str, Callable[[Any, Any], Any]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
    "//": operator.floordiv,
    "%": operator.mod,
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
_PLAIN = (int, float, bool)
_FOLD_LIMIT = 1 << 40
_NUMBERS = ("bool", "int", "float", "complex")


def split(value: Value) -> tuple[Value, ...]:
    """The arms of a value, a tensor among several at most `likely`."""
    if not isinstance(value, Union):
        return (value,)
    return tuple([tensor_arm(value) or a if isinstance(a, Tensor) else a for a in value.arms])


def binary(f: Frame, op: str, left: Value, right: Value, pos: int) -> Value:
    """`left op right` for arithmetic and bit operators."""
    if isinstance(left, Union) or isinstance(right, Union):
        lefts, rights = split(left), split(right)
        if len(lefts) * len(rights) <= 12:
            return join_all([_binary(f, op, a, b, pos) for a in lefts for b in rights])
        left, right = tensor_arm(left) or UNKNOWN, tensor_arm(right) or UNKNOWN
    return _binary(f, op, left, right, pos)


def _binary(f: Frame, op: str, left: Value, right: Value, pos: int) -> Value:
    if op == "|" and (_is_true(left) or _is_true(right)):
        return TRUE
    if isinstance(left, Tensor) or isinstance(right, Tensor):
        return _tensor_binary(f, op, left, right, pos)
    capture.joined(f, op, left, right, pos)
    found = perform(f, Operation.BINARY, op, (left, right), pos)
    if found is not None:
        return found
    if is_drawn(left) or is_drawn(right):
        return _drawn_binary(f, op, left, right, pos)
    if isinstance(left, Const) and isinstance(right, Const):
        return _fold(op, left.value, right.value)
    if isinstance(left, (Const, Scalar)) and isinstance(right, (Const, Scalar)):
        return between_graphs(_scalar_binary(op, left, right), left, right)
    if isinstance(left, Sequence):
        if op == "+" and isinstance(right, Sequence):
            if left.items is not None and right.items is not None:
                return Sequence(left.kind, left.items + right.items, BOTTOM)
            return Sequence(left.kind, None, join(_any_item(left), _any_item(right)))
        if op == "*":
            return _repeated(left, right)
    if isinstance(right, Sequence) and op == "*":
        return _repeated(right, left)
    if isinstance(left, Mapping) and isinstance(right, Mapping) and op == "|":
        return join(left, right)
    if type_name(left) == "str" and op == "%":
        for item in right.items or () if isinstance(right, Sequence) else ():
            _percent(f, item, pos)
        return Scalar("str")
    return UNKNOWN


_MOST_REPEATED = 64
_LAYOUTS = frozenset(
    f"torch.{n}" for n in ("strided", "jagged", *(f"sparse_{k}" for k in "coo csr csc bsr bsc".split()))
)


def _repeated(items: Sequence, times: Value) -> Value:
    """`[a, b] * 3`."""
    count = times.value if isinstance(times, Const) else None
    if items.items is None or type(count) is not int or len(items.items) * count > _MOST_REPEATED:
        return Sequence(items.kind, None, _any_item(items))
    return Sequence(items.kind, items.items * count, BOTTOM)


def _drawn_binary(f: Frame, op: str, left: Value, right: Value, pos: int) -> Value:
    """With a number that `random` drew on one side and no tensor on the other; what is unknown may be one."""
    if isinstance(left, (Const, Scalar)) and isinstance(right, (Const, Scalar)):
        result = _scalar_binary(op, left, right)
    elif isinstance(left, Sequence) or isinstance(right, Sequence):
        sequence = left if isinstance(left, Sequence) else right
        result = Sequence(sequence.kind, None, _any_item(sequence)) if isinstance(sequence, Sequence) else UNKNOWN
    else:
        return UNKNOWN
    return drawn_numbers.operated(f, op, (left, right), result, pos)


def _is_true(value: Value) -> bool:
    return isinstance(value, Const) and value.value is True


def _percent(f: Frame, value: Value, pos: int) -> None:
    tensor = tensor_arm(value)
    if tensor is not None:
        outcome = f.interp.facts.syntax(SyntaxForm.PERCENT_FORMAT)
        f.emit(events.Syntax(f.site(pos), outcome, SyntaxForm.PERCENT_FORMAT.value, (tensor,)))
        f.broken_by(outcome, splits=False)


def _any_item(s: Sequence) -> Value:
    return s.element if s.items is None else join_all(s.items)


def _tensor_binary(f: Frame, op: str, left: Value, right: Value, pos: int) -> Value:
    perform(f, Operation.BINARY, op, (left, right), pos)
    if type_name(left) == "str":
        if op == "%":
            _percent(f, right, pos)
        return Scalar("str")
    if isinstance(left, Mapping):
        return UNKNOWN
    _meets_object(f, op, left, right, pos)
    tensors = [v for v in (left, right) if isinstance(v, Tensor)]
    a = tensors[0]
    b = tensors[-1]
    if op == "/":
        dtype = "complex" if "complex" in (a.dtype, b.dtype) else "float"
    elif len(tensors) == 2:
        dtype = promote(a.dtype, b.dtype)
    else:
        other = right if left is a else left
        dtype = promote(a.dtype, _scalar_dtype(other))
    if len(tensors) == 2:
        rank = max(a.rank, b.rank) if a.rank is not None and b.rank is not None else None
    else:
        rank = a.rank if isinstance(right if left is a else left, (Const, Scalar)) else None
    sizes = a.sizes
    if len(tensors) == 2:
        sizes = None if a.sizes is None or b.sizes is None else broadcast(a.sizes, b.sizes)
    elif rank is None:
        sizes = None
    device = a.device if a.device == b.device else ""
    other = right if left is a else left
    if device == "cpu" and _is_number(a) and not isinstance(other, (Tensor, Const, Scalar)):
        device = ""  # a number on the host joins whatever the other is
    f.trace.captures(pos)
    if len(tensors) == 2 and a.device != b.device:
        placement.joined(f, op, (a, b), pos)
    if len(tensors) == 1 or a.device != b.device:
        capture.joined(f, op, left, right, pos)
    found = Tensor(
        dtype,
        rank,
        Source.COMPUTED,
        "contiguous" if a.layout == b.layout == "contiguous" else "jagged" if "jagged" in (a.layout, b.layout) else "",
        device,
        a.array and b.array,
        max(a.confidence, b.confidence),  # whatever the other side is, one tensor makes the result a tensor
        f.origin(op, pos, a.origin, OriginKind.RESULT),
        sizes,
        a.cls or b.cls,
    )
    if op != "@" or found.array:
        return found
    capture.worked(f, op, a, pos)
    return measured.corrected(f.interp.facts, "torch.matmul", Args([left, right]), None, found)


def _is_number(tensor: Tensor) -> bool:
    """A 0-d tensor, or what `torch.tensor` makes of something unknown, which mostly is a number."""
    made = tensor.origin is not None and tensor.origin.kind is OriginKind.MADE and tensor.origin.what == "tensor"
    return tensor.rank == 0 or (tensor.rank is None and made)


def _meets_object(f: Frame, op: str, left: Value, right: Value, pos: int) -> None:
    """A tensor and an object whose class writes the operator itself: Dynamo does not get as far as that method."""
    tensor, other = (left, right) if isinstance(left, Tensor) else (right, left)
    name = special_methods.DUNDER.get(op)
    if not isinstance(tensor, Tensor) or not isinstance(other, Object) or name is None:
        return
    cls = other.cls
    if not isinstance(cls, ClassInfo) or set(cls.external_bases) - _PLAIN_BASES:
        return  # a number, an enumeration, a tensor of its own kind
    if cls.method("__torch_function__") is None and (cls.method(f"__{name}__") or cls.method(f"__r{name}__")):
        outcome = f.interp.facts.opaque_operand()
        f.emit(events.Syntax(f.site(pos), outcome, f"tensor {op} {cls.node.name} object", (tensor,)))
        f.broken_by(outcome, tensor.confidence)


_PLAIN_BASES = frozenset({"builtins.object", "abc.ABC", "typing.Generic", "typing.Protocol"})


_RANKING = ("bool", "int", "float", "complex")


def promote(a: str, b: str) -> str:
    """torch's type promotion on classes of dtypes; "" where either is unknown."""
    if not a or not b:
        return ""
    return _RANKING[max(_RANKING.index(a), _RANKING.index(b))]


def _scalar_dtype(value: Value) -> str:
    kind = type_name(value)
    return kind if kind in _RANKING else ""


def _fold(op: str, a: Any, b: Any) -> Value:
    fold = _FOLD.get(op)
    if op in ("|", "&") and isinstance(a, bool) and isinstance(b, bool):
        return Const(a | b if op == "|" else a & b)
    if fold is None:
        return UNKNOWN if not (type(a) in _PLAIN and type(b) in _PLAIN) else Scalar("int")
    if type(a) in _PLAIN and type(b) in _PLAIN and abs(a) < _FOLD_LIMIT and abs(b) < _FOLD_LIMIT:
        try:
            return Const(fold(a, b))
        except (ArithmeticError, ValueError, TypeError):
            return UNKNOWN
    if isinstance(a, str):
        return Scalar("str")
    return UNKNOWN


def _scalar_binary(op: str, left: Const | Scalar, right: Const | Scalar) -> Value:
    a, b = _operand_type(left), _operand_type(right)
    dependence = max(left.dependence, right.dependence)
    if a == "str" or b == "str":
        return Scalar("str", dependence)
    if not a or not b:
        return UNKNOWN
    if op == "/":
        return Scalar("float", dependence)
    if op in ("|", "&") and a == b == "bool":
        for side in (left, right):
            if isinstance(side, Const) and side.value is (op == "|"):
                return side  # True | x, False & x
    if a in _NUMBERS and b in _NUMBERS:
        if op in ("&", "|", "^") and a == b == "bool":
            return Scalar("bool", dependence)
        kind = _NUMBERS[max(_NUMBERS.index(a), _NUMBERS.index(b), 1)]
        return Scalar(kind, dependence, number=_number(op, left, right) if kind == "int" else None)
    return UNKNOWN


_ARITHMETIC: dict[str, Callable[[Size | None, Size | None], Size | None]] = {
    "*": times,
    "//": over,
    "+": plus,
    "-": minus,
}


def _number(op: str, left: Const | Scalar, right: Const | Scalar) -> Size | None:
    """Which number of sizes comes out; only of what is a size itself."""
    compute = _ARITHMETIC.get(op)
    return None if compute is None else compute(size_number(left), size_number(right))


def size_number(value: Value) -> Size | None:
    """The number that a value is as a size of a tensor, None if it is none or not known."""
    if isinstance(value, Scalar):
        return value.number
    return constant(value.value) if isinstance(value, Const) and type(value.value) is int else None


def _operand_type(value: Const | Scalar) -> str:
    if isinstance(value, Scalar):
        return value.kind
    return type(value.value).__name__ if isinstance(value.value, (*_PLAIN, str, complex)) else ""


def unary(f: Frame, op: str, value: Value, pos: int) -> Value:
    """`-x`, `+x`, `~x`."""
    if isinstance(value, Union):
        return join_all([unary(f, op, a, pos) for a in split(value)])
    if isinstance(value, Tensor):
        f.trace.captures(pos)
        return value.but(source=Source.COMPUTED, origin=f.origin(op, pos, value.origin, OriginKind.RESULT))
    if isinstance(value, Const) and type(value.value) in (int, float):
        return Const(-value.value) if op == "-" else (value if op == "+" else Scalar("int"))
    found = perform(f, Operation.NUMBER, op, (value,), pos)
    if found is not None:
        return found
    if isinstance(value, Scalar):
        return value if op == "+" or value.number is None else unsized(value)
    return UNKNOWN


def compare_pair(f: Frame, op: str, left: Value, right: Value, pos: int) -> Value:
    """One link of a comparison. `is` and `in` give Python booleans; the others follow their operands."""
    if op in ("is", "is not"):
        object_kinds.compared_by_identity(f, left, right, pos)
        recurrent_layers.looked_at(f, left, op, pos)
        return _identity(op, left, right)
    if op in ("in", "not in"):
        return _membership(f, op, left, right, pos)
    if isinstance(left, Union) or isinstance(right, Union):
        lefts, rights = split(left), split(right)
        if len(lefts) * len(rights) <= 12:
            return join_all([_compare(f, op, a, b, pos) for a in lefts for b in rights])
        left, right = tensor_arm(left) or UNKNOWN, tensor_arm(right) or UNKNOWN
    return _compare(f, op, left, right, pos)


def _compare(f: Frame, op: str, left: Value, right: Value, pos: int) -> Value:
    if isinstance(left, Tensor) or isinstance(right, Tensor):
        if is_none(left) or is_none(right) or "str" in (type_name(left), type_name(right)):
            return Scalar("bool")  # `tensor == None` and `tensor == "auto"` are False without looking at data
        if isinstance(left, (Sequence, Mapping)) or isinstance(right, (Sequence, Mapping)):
            return Scalar("bool") if op in ("==", "!=") else UNKNOWN
        result = _tensor_binary(f, op, left, right, pos)
        if isinstance(result, Tensor):
            return result.but(dtype="bool")
        return result
    if isinstance(left, Const) and isinstance(right, Const):
        try:
            return Const(bool(_FOLD[op](left.value, right.value)))
        except TypeError:
            return Scalar("bool")
    if isinstance(left, External) and isinstance(right, External) and op in ("==", "!="):
        return TRUE if (left.name == right.name) is (op == "==") else Scalar("bool")
    found = perform(f, Operation.COMPARE, op, (left, right), pos)
    if found is not None:
        return found
    if isinstance(left, Unknown) or isinstance(right, Unknown):
        # Never infer a tensor from a comparison of unknowns: the result stays unknown unless both sides are plain.
        return UNKNOWN
    return Scalar("bool", max(left.dependence, right.dependence), usual=_usually(op, left, right))


def _usually(op: str, left: Value, right: Value) -> Const | None:
    """How a comparison comes out with what both sides usually are."""
    a, b = _usual_kind(left) or usual_of(left), _usual_kind(right) or usual_of(right)
    if a is None or b is None or op not in ("==", "!="):
        return None
    return TRUE if (a.value == b.value) is (op == "==") else FALSE


def _usual_kind(value: Value) -> Const | None:
    """The name of a dtype or layout, or of the one that a tensor mostly has."""
    if isinstance(value, Instance) and value.name in ("torch.dtype", "torch.layout"):
        usual = dict(value.state).get(USUALLY)
        return usual if isinstance(usual, Const) else None
    if isinstance(value, External) and (value.name in _LAYOUTS or dtype_class(value.name)):
        return Const(value.name)
    return None


def _identity(op: str, left: Value, right: Value) -> Value:
    positive = op == "is"
    for a, b in ((left, right), (right, left)):
        if isinstance(b, Const) and b.value is None:
            known = is_none(a)
            return Scalar("bool") if known is None else (TRUE if known is positive else FALSE)
    if isinstance(left, Const) and isinstance(right, Const) and type(left.value) is type(right.value) is Member:
        return TRUE if (left.value == right.value) is positive else FALSE
    if isinstance(left, Const) and isinstance(right, Const) and not isinstance(left.value, (str, bytes, int, float)):
        return TRUE if (left.value is right.value) is positive else FALSE
    if isinstance(left, Const) and isinstance(right, Const) and {type(left.value), type(right.value)} == {bool}:
        return TRUE if (left.value is right.value) is positive else FALSE
    return Scalar("bool")


def _constant(value: Value) -> Const | None:
    return value if isinstance(value, Const) else None


def _found_among(f: Frame, left: Value, member: Tensor, right: Sequence, pos: int) -> Value:
    """Whether an item equals a tensor: itself a tensor, made of all comparisons; no text equals one."""
    if right.items is not None and all(isinstance(item, Const) and isinstance(item.value, str) for item in right.items):
        return Scalar("bool")
    origin = f.origin("in", pos, member.origin, OriginKind.RESULT)
    found = member.but(dtype="bool", source=Source.COMPUTED, sizes=None, origin=origin)
    return found if isinstance(left, Tensor) else join_all([found, Scalar("bool")])


def _membership(f: Frame, op: str, left: Value, right: Value, pos: int) -> Value:
    container = tensor_arm(right)
    if container is not None:
        outcome = f.interp.facts.syntax(SyntaxForm.IN)
        f.emit(events.Syntax(f.site(pos), outcome, SyntaxForm.IN.value, (left, container)))
        f.broken_by(outcome, container.confidence)
        captured = outcome is not None and not f.context.config.breaks(outcome)
        return Scalar("bool", Dependence.DATA, container.origin) if captured else Scalar("bool")
    decided = perform(f, Operation.CONTAINS, op, (left, right), pos)
    if decided is not None:
        return decided
    member = drawn_numbers.as_tensor(f, left, pos)
    if member is not None and isinstance(right, Sequence) and right.kind in ("tuple", "list") and right.items != ():
        if op == "in" and isinstance(left, (Tensor, Union)):
            return _found_among(f, left, member, right, pos)
        outcome = f.interp.facts.syntax(SyntaxForm.IF)  # compared with each item in turn, and each result is tested
        f.emit(events.Branch(f.site(pos), outcome, "search", member if tensor_arm(left) is not None else left))
        f.broken_by(outcome, member.confidence)
        return Scalar("bool")
    if isinstance(left, Scalar) and left.usual is not None:
        return Scalar("bool", usual=_constant(_membership(f, op, left.usual, right, pos)))
    items = right.items if isinstance(right, Sequence) else None
    if isinstance(left, Const) and items is not None and all(isinstance(i, Const) for i in items):
        found = any(isinstance(i, Const) and i.value == left.value for i in items)
        return TRUE if found is (op == "in") else FALSE
    if isinstance(left, Const) and isinstance(right, Mapping):
        if right.get(left.value) is not None:
            return TRUE if op == "in" else FALSE
        if right.exact:
            return FALSE if op == "in" else TRUE
    return Scalar("bool")
