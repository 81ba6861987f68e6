"""Mappings that a function fills once: `if len(state) == 0: state["step"] = 0`.

Behind such a test the mapping holds what the arm puts in, put there just now or by an earlier call. So its items are
known by name behind the test, though the arm that finds it filled shows none of them.
"""

from __future__ import annotations

from compilelint.interp.core.frame import Frame
from compilelint.interp.core.state import State
from compilelint.interp.effects import optimizer_state
from compilelint.syntax import ir
from compilelint.syntax.walk import dotted_name
from compilelint.values import Mapping, join


def keep_filled(f: Frame, filled: State | None, test: ir.Expr) -> None:
    """Give a mapping of which `test` asks whether it is empty, or lacks a key, the items that the arm has put in."""
    joined = f.state
    if filled is not None and _of_optimizer(f, test):
        optimizer_state.filled(f, test.pos)
    if joined is None or filled is None or joined is filled:
        return
    name = _asked_empty(test)
    known, now = filled.names.get(name), joined.names.get(name)
    if not name or not isinstance(known, Mapping) or not isinstance(now, Mapping):
        return
    missing = [(key, value) for key, value in known.entries if now.get(key) is None]
    if missing:
        keys = {key for key, _ in missing}
        maybe = tuple([(key, value) for key, value in now.maybe if key not in keys])
        joined.names[name] = Mapping((*now.entries, *missing), join(now.element, known.element), maybe=maybe)


def _of_optimizer(f: Frame, test: ir.Expr) -> bool:
    """Whether a test in a method of an optimizer asks for what is kept of one parameter, and most calls fill it."""
    if isinstance(test, ir.BoolOp):
        return any(_of_optimizer(f, one) for one in test.values)
    asked = _asked(test)
    if asked is None or f.owner is None or not optimizer_state.is_optimizer(f.owner):
        return False
    return optimizer_state.is_item(f, asked) or dotted_name(asked) == f"{f.self_name}.state"


def _asked_empty(test: ir.Expr) -> str:
    """The variable of which a test asks whether nothing is in it, or no such key; empty for any other test."""
    asked = _asked(test)
    return asked.id if isinstance(asked, ir.Name) else ""


def _asked(test: ir.Expr) -> ir.Expr | None:
    """What a test asks for being empty, or lacking a key; None for any other test."""
    asked: ir.Expr | None = None
    if isinstance(test, ir.Unary) and test.op == "not":
        asked = test.operand
    elif isinstance(test, ir.Compare) and len(test.ops) == 1:
        if test.ops[0] == "not in":
            asked = test.rights[0]
        elif test.ops[0] == "==" and _is_zero(test.rights[0]):
            asked = _measured(test.left)
    return asked


def _measured(expr: ir.Expr) -> ir.Expr | None:
    """What `len(...)` is asked of."""
    is_length = isinstance(expr, ir.Call) and isinstance(expr.func, ir.Name) and expr.func.id == "len"
    return expr.args[0] if is_length and isinstance(expr, ir.Call) and len(expr.args) == 1 else None


def _is_zero(expr: ir.Expr) -> bool:
    return isinstance(expr, ir.Const) and expr.value == 0 and expr.value is not False
