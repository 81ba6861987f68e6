"""Python's operators on what is known, small enough that no program can make them cost time or memory."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from compilelint.host import tensors
from compilelint.host.protocol import Machine
from compilelint.host.values import (
    UNKNOWN,
    Class,
    Defaulting,
    Drawn,
    External,
    Lib,
    Member,
    Result,
    Sym,
    SymBool,
    Tensor,
    Thing,
    Value,
    Wrapper,
    WrapperType,
    is_plain,
)

_BINARY: dict[str, Callable[[Any, Any], Any]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
    "//": operator.floordiv,
    "%": operator.mod,
    "|": operator.or_,
    "&": operator.and_,
    "^": operator.xor,
}
_COMPARE: dict[str, Callable[[Any, Any], Any]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
_LARGE = 1 << 64
_LONG = 2_000
_SPECIAL = {
    "+": "__add__",
    "-": "__sub__",
    "*": "__mul__",
    "/": "__truediv__",
    "//": "__floordiv__",
    "%": "__mod__",
    "@": "__matmul__",
}


def hashable(value: Value) -> bool:
    """Whether a value can be a key here."""
    if isinstance(value, tuple):
        return all(map(hashable, value))
    return is_plain(value) or isinstance(value, (Member, External, Thing, Class, WrapperType))


def source_of(*values: Value) -> str:
    """Where a number comes from that compiled code was given, if one of these is such a number."""
    return next((v.source for v in values if isinstance(v, (Sym, SymBool))), "")


def binary(m: Machine, op: str, a: Value, b: Value) -> Value:
    """`a op b`."""
    if op == "-" and m.regions.subtracted(m, a, b):
        return UNKNOWN
    if isinstance(a, Tensor) or isinstance(b, Tensor):
        return _of_tensors(m, op, a, b)
    if isinstance(a, Thing) and op in _SPECIAL and a.cls.method(_SPECIAL[op]) is not None:
        return m.call_method(m.calls[-1][0], a, _SPECIAL[op], [b], {}, m.calls[-1][1]) if m.calls else UNKNOWN
    if isinstance(a, Drawn) or isinstance(b, Drawn):
        return _of_drawn(op, a, b)
    if isinstance(a, str) and op == "%":
        return UNKNOWN
    if isinstance(a, (list, tuple)) and op == "+" and type(a) is type(b):
        return type(a)([*a, *b]) if len(a) + len(b) <= _LONG else UNKNOWN
    for many, count in ((a, b), (b, a)):
        if isinstance(many, (list, tuple, str)) and isinstance(count, int) and op == "*":
            return many * count if len(many) * max(count, 0) <= _LONG else UNKNOWN
    if op == "**" and isinstance(a, (int, float)) and isinstance(b, (int, float)):
        return _power(a, b)
    if isinstance(a, dict) and isinstance(b, dict) and op == "|":
        return {**a, **b}
    return _of_plain(op, a, b)


def _of_drawn(op: str, a: Value, b: Value) -> Value:
    """A number that is drawn, and another operand."""
    if isinstance(a, Drawn) and type(b) is int and op in ("+", "-") and a.kind == "int":
        return Drawn(a.kind, a.base, a.offset + (b if op == "+" else -b))
    if isinstance(b, Drawn) and type(a) is int and op == "+" and b.kind == "int":
        return Drawn(b.kind, b.base, b.offset + a)
    other = b if isinstance(a, Drawn) else a
    if isinstance(other, (int, float, Drawn)) and op in ("+", "-", "*", "//", "/"):
        return Drawn("float" if op == "/" or isinstance(other, float) else "int")
    return UNKNOWN


def _power(a: float, b: float) -> Value:
    if abs(a) > 1e6 or abs(b) > 64:
        return UNKNOWN
    try:
        return a**b
    except (ArithmeticError, ValueError):
        return UNKNOWN


def _of_plain(op: str, a: Value, b: Value) -> Value:
    """Two numbers or texts, as Python computes with them; large results are left aside."""
    if op not in _BINARY or not (is_plain(a) and is_plain(b)):
        return UNKNOWN
    try:
        result = _BINARY[op](a, b)
    except (ArithmeticError, TypeError, ValueError):
        return UNKNOWN
    if isinstance(result, int) and abs(result) > _LARGE:
        return UNKNOWN
    source = source_of(a, b)
    return Sym(result, source) if source and type(result) is int else result


def _of_tensors(m: Machine, op: str, a: Value, b: Value) -> Value:
    both = [one for one in (a, b) if isinstance(one, Tensor)]
    if not all(isinstance(one, (Tensor, int, float, Drawn)) for one in (a, b)):
        return tensors.unknown()
    if op == "@":
        shape = tensors.matmul(a.shape, b.shape) if len(both) == 2 else None
    else:
        shape = tensors.broadcast(*[one.shape if isinstance(one, Tensor) else () for one in (a, b)])
        if len(both) == 2:
            m.regions.met(m, both[0], both[1])
    if isinstance(b, Sym) and m.region is not None:
        m.region.used(b)
    made = tensors.combined(both, shape, m.gradients)
    return made if op == "@" else tensors.keep_marks(made, both)


def unary(op: str, value: Value) -> Value:
    """`-value` and its like."""
    if isinstance(value, Tensor):
        return value.but(graph=None)
    if isinstance(value, Drawn):
        return Drawn(value.kind)
    if isinstance(value, (int, float)) and op in ("-", "+"):
        result = -value if op == "-" else value
        return Sym(result, value.source) if isinstance(value, Sym) and isinstance(result, int) else result
    return UNKNOWN


def compare(m: Machine, op: str, a: Value, b: Value) -> Value:
    """`a op b`, for one of the comparisons."""
    if op in ("is", "is not"):
        truth = _is(a, b)
        return UNKNOWN if truth is None else truth is (op == "is")
    if op in ("in", "not in"):
        truth = _holds(m, b, a)
        return UNKNOWN if truth is None else truth is (op == "in")
    if isinstance(a, Tensor) or isinstance(b, Tensor):
        shapes = [one.shape if isinstance(one, Tensor) else () for one in (a, b)]
        return Tensor(tensors.broadcast(*shapes), "bool", False)
    if isinstance(a, (list, tuple)) and isinstance(b, (list, tuple)) and op in ("==", "!="):
        if all(map(is_plain, (*a, *b))):
            return _COMPARE[op](a, b)
        return UNKNOWN if len(a) == len(b) else op == "!="
    drawn = [one for one in (a, b) if isinstance(one, Drawn) and one.kind in ("int", "float")]
    if len(drawn) == 1 and all(one is drawn[0] or isinstance(one, (int, float)) for one in (a, b)):
        return Drawn("bool")
    if op in ("==", "!="):
        truth = _equal(a, b)
        if truth is None:
            return UNKNOWN
        result = truth is (op == "==")
        source = source_of(a, b)
        return SymBool(result, source) if source else result
    if not (is_plain(a) and is_plain(b)):
        return UNKNOWN
    try:
        result = bool(_COMPARE[op](a, b))
    except TypeError:
        return UNKNOWN
    source = source_of(a, b)
    return SymBool(result, source) if source else result


def _equal(a: Value, b: Value) -> bool | None:
    if is_plain(a) and is_plain(b):
        return bool(a == b)
    if isinstance(a, External) and isinstance(b, External):
        return True if a.name == b.name else None
    if isinstance(a, Member) and isinstance(b, Member):
        return a is b
    return True if a is b and a is not UNKNOWN and not isinstance(a, Drawn) else None


def _is(a: Value, b: Value) -> bool | None:
    if UNKNOWN in (a, b) if is_plain(a) or is_plain(b) else a is UNKNOWN or b is UNKNOWN:
        return None
    if a is None or b is None or isinstance(a, bool) or isinstance(b, bool):
        if isinstance(a, Drawn) or isinstance(b, Drawn):
            return False
        return a is b
    if isinstance(a, External) and isinstance(b, External):
        return True if a.name == b.name else None
    if is_plain(a) or is_plain(b):
        return None
    return a is b


def _holds(m: Machine, container: Value, value: Value) -> bool | None:
    if isinstance(container, str) and isinstance(value, str):
        return value in container
    if isinstance(container, dict):
        if m.region is not None:
            m.region.keys_asked(container)
        return value in container if hashable(value) else None
    if isinstance(container, range) and isinstance(value, int):
        return value in container
    if isinstance(container, (list, tuple, set)):
        known = [_equal(one, value) for one in container]
        return True if True in known else None if None in known else False
    if isinstance(container, Lib) and isinstance(container.items, dict) and isinstance(value, str):
        return value in container.items
    return None


def item(m: Machine, value: Value, index: Value) -> Value:
    """`value[index]`."""
    if isinstance(value, Wrapper):
        return item(m, value.target, index)
    if isinstance(value, Result) and (is_plain(index) or isinstance(index, slice)):
        return value.part()
    if isinstance(value, Tensor):
        if m.region is not None:
            m.region.indexed(index)
        part = _of_tensor(m, value, index)
        indices = index if isinstance(index, tuple) else (index,)
        if not any(isinstance(one, (Tensor, list)) or one is UNKNOWN for one in indices):  # else it is a copy
            part.graph = value.graph
        return part
    if isinstance(value, Lib) and value.items is not None:
        held = value.items if isinstance(value.items, dict) else list(value.items)
        if isinstance(held, list) and isinstance(index, slice):
            some = Lib(value.name, [], {})
            some.items = item(m, held, index)
            return some
        return item(m, held, index)
    if isinstance(value, Thing) and "<items>" in value.attrs:
        return item(m, value.attrs["<items>"], index)
    if isinstance(value, Defaulting) and hashable(index) and index not in value and m.calls:
        env, pos = m.calls[-1]
        value[index] = m.call(env, value.factory, [], {}, pos)
    if isinstance(value, dict):
        return value.get(index, UNKNOWN) if hashable(index) else UNKNOWN
    if isinstance(value, (list, tuple, str, range)):
        if isinstance(index, slice):
            parts = (index.start, index.stop, index.step)
            if all(one is None or isinstance(one, int) for one in parts) and index.step != 0:
                found = value[index]
                return list(found) if isinstance(found, range) else found
            return UNKNOWN
        if isinstance(index, int) and -len(value) <= index < len(value):
            return value[index]
        if isinstance(value, (list, tuple)) and value and all(isinstance(one, Tensor) for one in value):
            return value[0].but(shape=None)
    return UNKNOWN


def _of_tensor(m: Machine, t: Tensor, index: Value) -> Tensor:
    parts = list(index) if isinstance(index, tuple) else [index]
    if t.shape is None or index is UNKNOWN:
        return tensors.combined([t], None, m.gradients)
    shape: list[Any] = []
    left = list(t.shape)
    steps = list(tensors.strides_of(t.shape, t.layout) or ())
    strides: list[int | None] | None = [] if steps or not left else None
    if Ellipsis in [one if is_plain(one) else 0 for one in parts]:
        at = next(i for i, one in enumerate(parts) if one is Ellipsis)
        count = len(left) - sum(1 for one in parts if one is not None and one is not Ellipsis)
        parts[at : at + 1] = [slice(None)] * max(count, 0)
    for one in parts:
        if one is None:
            shape.append(1)
            if strides is not None:
                strides.append(None)
            continue
        if isinstance(one, slice) and strides is not None and steps:
            strides.append(steps[-len(left)] * (one.step if isinstance(one.step, int) else 1))
        elif not (isinstance(one, int) and not isinstance(one, bool)):
            strides = None  # what is picked is copied
        if not left:
            return tensors.combined([t], None, m.gradients)
        if isinstance(one, slice):
            size = tensors.slice_length(left.pop(0), one.start, one.stop, one.step)
            own = isinstance(one.stop, Sym) and one.start is None and size == one.stop
            shape.append(one.stop if own else size)  # a size that varies with its source
        elif isinstance(one, Tensor):
            if one.dtype == "bool" and one.shape:
                del left[: len(one.shape)]
                shape.append(Drawn())
            elif one.shape is not None:
                left.pop(0)
                shape += list(one.shape)
            else:
                return tensors.combined([t], None, m.gradients)
        elif isinstance(one, (int, Drawn)):
            left.pop(0)
        elif isinstance(one, (list, tuple)):
            left.pop(0)
            shape.append(len(one))
        else:
            return tensors.combined([t], None, m.gradients)
    made = tensors.combined([t], (*shape, *left), m.gradients)
    return made if strides is None else _cut(made, [*strides, *(steps[-len(left) :] if left else ())])


def _cut(made: Tensor, strides: list[int | None]) -> Tensor:
    """A part with its strides; those of new dimensions are what the next one covers."""
    shape = made.shape or ()
    if len(strides) != len(shape):
        return made
    for i in reversed(range(len(strides))):
        if strides[i] is None:
            after, size = (strides[i + 1], shape[i + 1]) if i + 1 < len(shape) else (1, 1)
            if after is None or not isinstance(size, int):
                return made
            strides[i] = after * size
    return tensors.cut(made, [one for one in strides if one is not None])
