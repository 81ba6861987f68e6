"""What a write comes to in the first call, which meets the state as it was made.

A frame sees state as all calls may find it, so that a number that stays at its bound, or a tensor that keeps its number
of dimensions, cannot be distinguished from one that changes. Does not belong here: what fails a guard (`changes`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from compilelint.interp.text.assigned import assigned_in
from compilelint.syntax import ir
from compilelint.syntax.walk import dotted_name
from compilelint.values import Const, Scalar, Tensor, Value

if TYPE_CHECKING:
    from compilelint.interp.core.frame import Frame


def restores(f: Frame, rhs: ir.AugAssign | ir.Expr | None, spelled: frozenset[str]) -> bool:
    """Whether what is stored is what was there before: `kept = self.act; ...; self.act = kept`."""
    if not isinstance(rhs, ir.Name):
        return False
    stored = assigned_in(f).get(rhs.id, ())
    return bool(stored) and all(dotted_name(e) in spelled for _, e in stored)


def as_first_met(
    f: Frame, rhs: ir.AugAssign | ir.Expr | None, spelled: frozenset[str], initial: Value | None, value: Value, pos: int
) -> Value:
    """The value that a step stores if the state is as it was made; `value` where that cannot be followed."""
    state = f.state
    path = next((one for one in spelled if "." in one), "")
    if state is None or not path or not isinstance(initial, (Const, Tensor)) or rhs is None:
        return value
    kept = state.paths.get(path)
    state.paths[path] = initial
    modes, f.modes = f.modes, f.modes.silenced
    try:
        if isinstance(rhs, ir.AugAssign):
            found = f.interp.binary(f, rhs.op, initial, f.eval(rhs.value), pos)
            if isinstance(initial, Tensor) and isinstance(found, Tensor):
                found = found.but(source=initial.source)  # written in place: the memory stays the one it was
        else:
            found = _bounded(f, rhs) or f.eval(rhs)
    finally:
        f.modes = modes
        if f.state is not None:
            if kept is None:
                f.state.paths.pop(path, None)
            else:
                f.state.paths[path] = kept
    return found if isinstance(found, (Const, Scalar, Tensor)) else value


def _bounded(f: Frame, e: ir.Expr) -> Const | None:
    """`min(3, self.level + 1)` of numbers that are known."""
    if not isinstance(e, ir.Call) or not isinstance(e.func, ir.Name) or e.func.id not in ("min", "max") or e.keywords:
        return None
    values = [f.eval(one) for one in e.args]
    numbers = [one.value for one in values if isinstance(one, Const) and type(one.value) in (int, float)]
    if len(numbers) < 2 or len(numbers) < len(e.args):
        return None
    return Const(min(numbers) if e.func.id == "min" else max(numbers))


def amount(rhs: ir.AugAssign | ir.Expr | None) -> int:
    """What a step by an int as written adds; 0 for any other."""
    if isinstance(rhs, ir.AugAssign):
        op, step = rhs.op, rhs.value
    elif isinstance(rhs, ir.Binary):
        op, step = rhs.op, rhs.right
    else:
        return 0
    if op not in ("+", "-") or not isinstance(step, ir.Const) or type(step.value) is not int:
        return 0
    return step.value if op == "+" else -step.value
