"""Iterators, generators and views that the region makes, used as objects: compared, shown, asked for attributes.

Dynamo has a tracker for each, which walks it, and little else. Measured on torch 2.13 and 2.15: two of them have no
identity that it could compare, `repr` of one is not known, nor what a running generator says of itself. Comparing one
with itself, with None or with a list is traced, but for generators up to 2.14.
"""

from __future__ import annotations

from typing import Final

from compilelint.interp.core.frame import Frame
from compilelint.interp.core.perform import Operation, Use, rule
from compilelint.interp.core.refusals import refused
from compilelint.interp.refusals.refused_calls import holds_tensor
from compilelint.interp.text.assigned import assigned_in
from compilelint.syntax import ir
from compilelint.values import LAZY, REBUILT, External, FunctionRef, Mapping, Scalar, Sequence, Value, is_none

_UNDETERMINED: Final = "GB4608"  # "richcompare identity fallback undetermined"
_GENERATOR: Final = "GB9648|generator == ..."  # "Missing richcompare_impl override"
_TWO_GENERATORS: Final = "GB9648|generator == iterator"
_NO_REPR: Final = "GB6053"  # "repr_impl not implemented"
_NO_TYPE: Final = "GB4841|generator.__name__"  # "Unsupported python_type() call"
_NO_CLASS: Final = "GB4841|generator.__class__"
_GENERATORS: Final = frozenset({"generator", LAZY})
_WITHOUT_IDENTITY: Final = frozenset({*_GENERATORS, REBUILT, "count"})
_OF_RUNNING: Final = frozenset({"__name__", "__qualname__", "gi_running"})


def _is_one(value: Value, kinds: frozenset[str]) -> bool:
    return isinstance(value, Sequence) and value.kind in kinds


@rule(Operation.COMPARE, Sequence, FunctionRef)
def compared(use: Use) -> Value | None:
    """`left == right` of iterators, of generators, of nested functions that hold a tensor."""
    f, op, (left, right), pos = use.frame, use.name, use.operands, use.pos
    if op not in ("==", "!=") or f.modes.silent:
        return None
    if _is_one(left, frozenset({"generator"})) and not f.interp.facts.traces(_GENERATOR):
        key = _GENERATOR
    elif left is not right and _is_one(left, _WITHOUT_IDENTITY) and _is_one(right, _WITHOUT_IDENTITY):
        key = _TWO_GENERATORS if _is_one(left, _GENERATORS) else _UNDETERMINED
    elif left is not right and _is_closure(f, left) and _is_closure(f, right):
        key = _UNDETERMINED
    else:
        return None
    return refused(f, key, f"{_word(left)} {op} {_word(right)}", (left, right), pos, result=Scalar("bool"))


def _word(value: Value) -> str:
    if isinstance(value, Sequence):
        return value.kind if value.kind == "generator" else "iterator"
    return "None" if is_none(value) else "function" if isinstance(value, FunctionRef) else "..."


def _is_closure(f: Frame, value: Value) -> bool:
    return isinstance(value, FunctionRef) and value.closure is f and holds_tensor(value, f)


def views_compared(f: Frame, op: str, left: ir.Expr, right: ir.Expr, pos: int) -> None:
    """`a.values() == b.values()` of dicts: values, unlike keys and items, are compared as objects."""
    if op in ("==", "!=") and not f.modes.silent and _is_values(f, left) and _is_values(f, right):
        refused(f, _UNDETERMINED, f"dict.values() {op} dict.values()", (), pos)


def _is_values(f: Frame, expr: ir.Expr) -> bool:
    if isinstance(expr, ir.Name) and f.function is not None:
        made = assigned_in(f).get(expr.id, ())
        return len(made) == 1 and not isinstance(made[0][1], ir.Name) and _is_values(f, made[0][1])
    if not isinstance(expr, ir.Call) or expr.args or expr.keywords or not isinstance(expr.func, ir.Attr):
        return False
    return expr.func.name == "values" and isinstance(f.eval(expr.func.value), Mapping)


@rule(Operation.CALL, External, names=("builtins.repr", "builtins.str"))
def shown(use: Use) -> None:
    """`repr(value)`, and `str` of a generator."""
    f, function, value, pos = use.frame, use.name.removeprefix("builtins."), use.args.get(0), use.pos
    if value is None or f.modes.silent:
        return
    if _is_one(value, _GENERATORS) or (function == "repr" and _is_one(value, frozenset({REBUILT}))):
        refused(f, _NO_REPR, f"{function} of an iterator", (value,), pos)


@rule(Operation.GET_ATTRIBUTE, Sequence)
def attribute_read(use: Use) -> None:
    """`generator.name`."""
    f, name, (value,), pos = use.frame, use.name, use.operands, use.pos
    if not _is_one(value, frozenset({"generator"})) or f.modes.silent:
        return
    if name in _OF_RUNNING or name == "__class__":
        refused(f, _NO_CLASS if name == "__class__" else _NO_TYPE, f"generator.{name}", (value,), pos)
