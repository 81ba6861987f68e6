"""Special methods that a class of the program writes: `a + b`, `-a`, `a == b`, `len(a)`, `key in a`, `a.missing`.

Measured on torch 2.13 and 2.15: Dynamo enters them, and a graph break in an operator, in `__contains__` or in
`__getattr__` leaves the frame around it to Python (`Frame.unsplit`), in a comparison or `len` it does not.
Does not belong here: a tensor that meets such an object, where Dynamo gets as far as neither method.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from compilelint.interp.core.args import Args
from compilelint.interp.core.frame import Frame
from compilelint.interp.core.perform import AUGMENTED, PROGRAM, Operation, Use, rule
from compilelint.interp.core.refusals import refused
from compilelint.project.classes import ClassInfo
from compilelint.syntax import ir
from compilelint.values import (
    NONE,
    UNKNOWN,
    Const,
    Dependence,
    External,
    FunctionRef,
    Mapping,
    Object,
    Scalar,
    Tensor,
    Value,
    truth,
)

DUNDER = {
    "+": "add",
    "-": "sub",
    "*": "mul",
    "/": "truediv",
    "//": "floordiv",
    "%": "mod",
    "**": "pow",
    "@": "matmul",
    "&": "and",
    "|": "or",
    "^": "xor",
    "<<": "lshift",
    ">>": "rshift",
}
_UNARY = {"-": "__neg__", "+": "__pos__", "~": "__invert__"}
_COMPARED = {"==": "__eq__", "!=": "__ne__", "<": "__lt__", "<=": "__le__", ">": "__gt__", ">=": "__ge__"}
_MIRRORED = {"==": "__eq__", "!=": "__ne__", "<": "__gt__", "<=": "__ge__", ">": "__lt__", ">=": "__le__"}


def writes(value: Value, name: str) -> bool:
    """Whether the class of an object is of the program and writes the method, not as a tensor of its own kind."""
    if not isinstance(value, Object) or not isinstance(value.cls, ClassInfo):
        return False
    return value.cls.method(name) is not None and value.cls.method("__torch_function__") is None


@rule(Operation.BINARY, Object, tier=PROGRAM)
def _joined(use: Use) -> Value | None:
    left, right = use.operands
    if use.name not in AUGMENTED:
        found = _operated(use)
        return found if found is not None or isinstance(left, Tensor) or isinstance(right, Tensor) else UNKNOWN
    return _operated(use)


def _operated(use: Use) -> Value | None:
    """`left op right`; None where neither class writes the operator, and where a tensor takes part."""
    f, (left, right), pos = use.frame, use.operands, use.pos
    in_place = use.name in AUGMENTED
    op = use.name[:-1] if in_place else use.name
    name = DUNDER.get(op)
    if name is None or op == "@" or isinstance(left, Tensor) or isinstance(right, Tensor):
        return None  # `@` is entered from 2.15 on only
    if in_place:
        return _called(f, left, f"__i{name}__", (right,), pos) if writes(left, f"__i{name}__") else None
    if writes(left, f"__{name}__"):
        return _called(f, left, f"__{name}__", (right,), pos)
    return _called(f, right, f"__r{name}__", (left,), pos) if writes(right, f"__r{name}__") else None


@rule(Operation.NUMBER, Object, tier=PROGRAM)
def _signed(use: Use) -> Value | None:
    """`-value`, `+value`, `~value`; None where the class does not write it."""
    f, (value,), pos = use.frame, use.operands, use.pos
    name = _UNARY.get(use.name, "")
    return _called(f, value, name, (), pos) if writes(value, name) else None


@rule(Operation.COMPARE, Object, tier=PROGRAM)
def _compared(use: Use) -> Value | None:
    """`left op right` of a comparison; None where neither class writes it."""
    f, op, (left, right), pos = use.frame, use.name, use.operands, use.pos
    if isinstance(left, Tensor) or isinstance(right, Tensor):
        return None
    for owner, other, names in ((left, right, _COMPARED), (right, left, _MIRRORED)):
        name = names.get(op, "")
        if writes(owner, name):
            return _entered(f, owner, name, (other,), pos)
        if op == "!=" and writes(owner, "__eq__"):
            return _negated(_entered(f, owner, "__eq__", (other,), pos))
    return None


@rule(Operation.CONTAINS, Object, tier=PROGRAM)
def _contains(use: Use) -> Value | None:
    """`member in container`, or `not in`; None where the class does not write it."""
    f, (member, container), pos = use.frame, use.operands, use.pos
    if not writes(container, "__contains__"):
        return None
    found = truth(_called(f, container, "__contains__", (member,), pos))
    return Scalar("bool") if found is None else Const(found is (use.name == "in"))


@rule(Operation.GET_ITEM, Mapping, tier=PROGRAM)
def _hashed_again(use: Use) -> Value | None:
    """A dict is asked for an object made for the question, whose class writes `__hash__`.

    Measured: up to torch 2.14 Dynamo finds an object by what it is there, not by the method; `in` and `get` do ask it.
    """
    f, (container, key), node = use.frame, use.operands, use.node
    if not isinstance(node, ir.Index) or not isinstance(node.index, ir.Call) or not isinstance(container, Mapping):
        return None
    made = isinstance(key, Object) and key.inside and writes(key, "__hash__")
    return refused(f, _ANOTHER, "dict[object]", (key,), use.pos) if made and not f.modes.silent else None


_ANOTHER: Final = "GB0088|dict[object]"


def length(f: Frame, value: Value, pos: int) -> Value | None:
    """`len(value)`; None where the class does not write it."""
    return _entered(f, value, "__len__", (), pos) if writes(value, "__len__") else None


def missing(f: Frame, value: Object, name: str, pos: int) -> Value | None:
    """An attribute that nothing stores, by the `__getattr__` of the class; None where it writes none."""
    if not writes(value, "__getattr__") or name.startswith("__"):
        return None
    before, outer = f.state, f.gathered
    f.state = None if before is None else before.copy()
    f.gathered = []
    found = _called(f, value, "__getattr__", (Const(name),), pos)
    events, f.gathered = f.gathered, outer
    if f.doomed:
        # It raises, so the attribute is there: code that is not seen has set it, and what words the error never runs.
        f.doomed, f.state = False, before
        return UNKNOWN
    for event in events:
        f.emit(event)
    return found


STORING: Final = {"__setattr__": "GB0254|super().__setattr__", "__delattr__": "GB0084"}
"""By method, what Dynamo says of a name that only the data decide."""


def stored_by_name(f: Frame, name: str, args: Args, pos: int) -> None:
    """`super().__setattr__(name, value)` and its like, in a method that a class writes itself."""
    given = args.get(0)
    if isinstance(given, Scalar) and given.dependence is Dependence.DATA:
        refused(f, STORING[name], f"super().{name}()", (given,), pos)


@rule(Operation.CALL, External, names=("builtins.setattr", "builtins.delattr"), tier=PROGRAM)
def _stored_through(use: Use) -> Value | None:
    """`setattr(obj, ...)` or `delattr` enters a method that the class writes."""
    f, args = use.frame, use.args
    owner, name = args.get(0), f"__{use.name.removeprefix('builtins.')}__"
    if owner is None or f.modes.silent or not writes(owner, name):
        return None
    _called(f, owner, name, tuple(args.positional[1:]), use.pos)
    return NONE


def _negated(value: Value) -> Value:
    known = truth(value)
    return value if known is None else Const(not known)


def _called(f: Frame, owner: Value, name: str, args: tuple[Value, ...], pos: int) -> Value:
    """As `_entered`, inside an instruction that Dynamo cannot split."""
    run: Callable[[], Value] = lambda: _entered(f, owner, name, args, pos)  # noqa: E731
    return f.unsplit(run)


def _entered(f: Frame, owner: Value, name: str, args: tuple[Value, ...], pos: int) -> Value:
    assert isinstance(owner, Object)
    assert isinstance(owner.cls, ClassInfo)
    method = owner.cls.method(name)
    assert method is not None
    closure = None if method.owner is None else method.owner.closure
    return f.interp.call(f, FunctionRef(method, owner, closure), Args(list(args)), pos)
