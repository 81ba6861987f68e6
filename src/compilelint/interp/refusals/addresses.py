"""Numbers that only the running process has: `id` of what the region made, `hash` of a tensor.

Dynamo holds a placeholder for such a number. Measured on torch 2.13 and 2.15: as a key, in `==` with another number and
as text it passes; arithmetic, a sign, `int`, `float`, `abs` and an order of two numbers with it end the graph, and so
does returning it. `id` of what comes from outside the region is a constant.
"""

from __future__ import annotations

from typing import Final

from compilelint.interp.core.frame import Frame
from compilelint.interp.core.perform import AUGMENTED, Operation, Use, rule
from compilelint.interp.core.refusals import refused
from compilelint.interp.text.assigned import assigned_in
from compilelint.syntax import ir
from compilelint.values import INT, Dependence, External, Object, Scalar, Source, Tensor, Value, tensor_arm

ADDRESS: Final = Scalar("address")
"""Such a number; its kind is none of Python's, so that nothing else is concluded from it."""
HASH: Final = Scalar("hash")
"""The same of a tensor, by `hash`; it may be returned, as the tensor may."""

POINTER: Final = "an address"
"""What the origin of a number from `x.data_ptr()` says."""

_ORDER = frozenset({"<", "<=", ">", ">="})
_COMPARED = "GB9316"  # "Comparison on compile-time-only id or hash value"
_CONVERTED = "GB4501"  # "Reconstruction of FakeIdVariable"
_ABSOLUTE = "GB4501|abs of an address"
_OF_OBJECT = "GB9316|id of an object made inside"
_POINTER_CONVERTED = "GB3775"  # "nb_int_impl not implemented"
_POINTER_TESTED = "GB9118"  # "Data pointer truth value"
_POINTERS = "GB5976"  # "Data pointer comparison"
_SIGNED = "GB0755"  # "nb_negative_impl not implemented"
_ARITHMETIC = "GB0055|arithmetic of an address"  # "Failed to convert args/kwargs to proxy"


@rule(Operation.CALL, External, names=("builtins.id", "builtins.hash"))
def asked(use: Use) -> Value | None:
    """What `id(x)` or `hash(x)` gives; None where it is a number like any other."""
    f, name, value, node = use.frame, use.name, use.args.get(0), use.node
    if value is None or f.modes.silent:
        return None
    if name == "builtins.hash":
        return HASH if tensor_arm(value) is not None else None
    if isinstance(value, Tensor):
        return ADDRESS if value.source is Source.COMPUTED else None
    if isinstance(value, Object) and value.inside and not f.here.broke and not f.interp.facts.traces(_OF_OBJECT):
        return ADDRESS
    first = node.args[0] if isinstance(node, ir.Call) and node.args else None
    return ADDRESS if first is not None and _is_made_here(f, first) else None


def _is_made_here(f: Frame, expr: ir.Expr) -> bool:
    """Whether the region surely made what an expression names."""
    if isinstance(expr, (ir.Display, ir.DictDisplay, ir.Comp)):
        return True
    if (
        isinstance(expr, ir.Name)
        and f.function is not None
        and not any(p.name == expr.id for p in f.function.node.params)
    ):
        made = assigned_in(f).get(expr.id, ())
        return bool(made) and all(isinstance(one, (ir.Display, ir.DictDisplay, ir.Comp)) for _, one in made)
    return False


def is_address(value: Value) -> bool:
    """Whether a value is such a number."""
    return isinstance(value, Scalar) and value.kind in (ADDRESS.kind, HASH.kind)


_SIGNS: Final = frozenset("-+~")


@rule(Operation.NUMBER, Scalar)
def signed(use: Use) -> Value | None:
    """`-address`: from torch 2.15 on one more such number."""
    f, op, (value,), pos = use.frame, use.name, use.operands, use.pos
    if op not in _SIGNS or not is_address(value):
        return None
    if f.interp.facts.traces(_SIGNED):
        return ADDRESS
    return refused(f, _SIGNED, f"{op} of an address", (value,), pos, result=INT)


@rule(Operation.BINARY, Scalar)
def operated(use: Use) -> Value | None:
    """Arithmetic with an address."""
    f, op, operands, pos = use.frame, use.name, use.operands, use.pos
    with_tensor = any(isinstance(one, Tensor) for one in operands)
    if op in AUGMENTED or with_tensor or not any(map(is_address, operands)):
        return None
    return refused(f, _ARITHMETIC, f"{op} of an address", operands, pos, result=INT)


@rule(Operation.COMPARE, Scalar)
def compared(use: Use) -> Value | None:
    """A comparison with an address, or with a number from `x.data_ptr()`; that of one tensor with itself is known."""
    f, op, (left, right), pos = use.frame, use.name, use.operands, use.pos
    if is_data_pointer(left) or is_data_pointer(right):
        if not _of_one_tensor(left, right):
            refused(f, _POINTERS, f"data_ptr() {op} ...", (left, right), pos)
        return Scalar("bool")
    if not is_address(left) and not is_address(right):
        return None
    if op in _ORDER:
        refused(f, _COMPARED, f"{op} of an address", (left, right), pos)
    return Scalar("bool")


def is_data_pointer(value: Value) -> bool:
    """Whether a value is computed from `x.data_ptr()`, and from nothing else that only a run knows."""
    pointer = isinstance(value, Scalar) and value.kind == "int" and value.dependence is Dependence.DATA
    return pointer and isinstance(value, Scalar) and value.origin is not None and value.origin.what == POINTER


@rule(Operation.TRUTH, Scalar)
def tested(use: Use) -> Value | None:
    """`if x.data_ptr()`: up to 2.14 the address that the tensor has while Dynamo traces decides."""
    f, (value,) = use.frame, use.operands
    if f.modes.silent or not is_data_pointer(value):
        return None
    return refused(f, _POINTER_TESTED, "the truth of an address", (value,), use.pos, result=Scalar("bool"))


def _of_one_tensor(left: Value, right: Value) -> bool:
    origins = [one.origin for one in (left, right) if isinstance(one, Scalar) and is_data_pointer(one)]
    parents = [one.parent for one in origins if one is not None]
    return len(parents) == 2 and parents[0] is not None and parents[0] is parents[1]


@rule(Operation.CALL, External, names=("builtins.int", "builtins.float", "builtins.abs"))
def converted(use: Use) -> Value | None:
    """`int(address)` and the like; `int(x.data_ptr())`."""
    f, name, value, pos = use.frame, use.name, use.args.get(0), use.pos
    if value is None:
        return None
    if name == "builtins.int" and is_data_pointer(value):
        return refused(f, _POINTER_CONVERTED, "int of an address", (value,), pos, result=INT)
    if not is_address(value):
        return None
    shown = name.removeprefix("builtins.")
    key = _ABSOLUTE if shown == "abs" else _CONVERTED
    if f.interp.facts.traces(key):
        return ADDRESS
    return refused(f, key, f"{shown} of an address", (value,), pos, result=Scalar(shown))
