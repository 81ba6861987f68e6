"""How a test comes out in the first call of what was constructed and called with defaults, where values leave it open.

It says which arm of an `if` counts when graphs are counted (`pieces`), and nothing else: no belief rests on it. Known
are arguments that are not passed, attributes that constructors give and no public method changes, and configurations
that are made of the constructor's arguments: `self.config.NAME` of diffusers, `self.hparams.NAME` of Lightning.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from compilelint.interp.core.judging import if_judged
from compilelint.project.classes import CONSTRUCTORS, ClassInfo, FunctionInfo
from compilelint.survey.scopes import expressions, own_expressions, statements
from compilelint.syntax import ir
from compilelint.syntax.facts import fact
from compilelint.syntax.walk import last_name
from compilelint.values import Const, Object, Value, key_of

if TYPE_CHECKING:
    from compilelint.interp.core.frame import Frame

_DEEPEST: Final = 8
_COMPARISONS: Final[dict[str, Callable[[object, object], bool]]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "is": operator.is_,
    "is not": operator.is_not,
}
_CONFIGURATIONS: Final = frozenset({"config", "hparams"})
_PLAIN: Final = (bool, int, float, str, type(None))


@if_judged
def outcome(f: Frame, test: ir.Expr) -> bool | None:
    """How the test comes out; None where that is not known."""
    if f.function is None:
        return None
    return _truth(f, test, 0)


def _truth(f: Frame, e: ir.Expr, depth: int) -> bool | None:
    if depth > _DEEPEST:
        return None
    if isinstance(e, ir.Unary) and e.op == "not":
        inner = _truth(f, e.operand, depth + 1)
        return None if inner is None else not inner
    if isinstance(e, ir.BoolOp):
        stops = e.op == "or"
        found = [_truth(f, one, depth + 1) for one in e.values]
        if stops in found:
            return stops
        return None if None in found else not stops
    if isinstance(e, ir.Compare) and len(e.ops) == 1:
        left, op, right = _value(f, e.left, depth + 1), e.ops[0], e.rights[0]
        if left is None:
            return None
        if op in ("in", "not in") and isinstance(right, ir.Display):
            items = [_value(f, one, depth + 1) for one in right.items]
            held = any(one is not None and one.value == left.value for one in items)
            return None if None in items and not held else held is (op == "in")
        other = _value(f, right, depth + 1)
        return _COMPARISONS[op](left.value, other.value) if other is not None and op in _COMPARISONS else None
    known = _value(f, e, depth + 1)
    return None if known is None else bool(known.value)


def _value(f: Frame, e: ir.Expr, depth: int) -> Const | None:
    if depth > _DEEPEST:
        return None
    if isinstance(e, ir.Const):
        return _plain(e.value)
    if isinstance(e, ir.Name):
        return _of_name(f, e.id, depth)
    if isinstance(e, ir.Attr):
        return _of_attribute(f, e)
    return None


def _plain(value: object) -> Const | None:
    return Const(value) if type(value) in _PLAIN else None


def _of_name(f: Frame, name: str, depth: int) -> Const | None:
    """An argument that is not passed, or a variable that is assigned once, from something that is known."""
    function = f.function
    held = f.here.names.get(name)
    if isinstance(held, Const):
        return _plain(held.value)
    if function is None:
        return None
    assigned = fact(function.node, _assigned).get(name, ())
    for p in function.node.params:
        if p.name == name:
            if f.context.caller is not None or assigned or not isinstance(p.default, ir.Const):
                return None
            # What is None by default is mostly what callers choose from: ids or embeddings, a mask or none.
            return None if p.default.value is None else _plain(p.default.value)
    return _value(f, assigned[0], depth + 1) if len(assigned) == 1 else None


def _assigned(node: ir.Function) -> dict[str, list[ir.Expr]]:
    """What the statements of a body assign to plain names, in the order of the text."""
    found: dict[str, list[ir.Expr]] = {}
    for s, _ in statements(node.body):
        if isinstance(s, ir.Assign):
            for name in dict.fromkeys(t.id for t in s.targets if isinstance(t, ir.Name)):
                found.setdefault(name, []).append(s.value)
    return found


def _of_attribute(f: Frame, e: ir.Attr) -> Const | None:
    holder = e.value
    owner = f.owner
    if not isinstance(owner, ClassInfo) or not f.self_name:
        return None
    if isinstance(holder, ir.Attr) and holder.name in _CONFIGURATIONS and _is_self(f, holder.value):
        return _argument(owner, e.name)
    if not _is_self(f, holder):
        return None
    mine = f.here.names.get(f.self_name)
    cls = mine.cls if isinstance(mine, Object) and isinstance(mine.cls, ClassInfo) else owner
    return _given(f, cls, _behind(cls, e.name))


def _is_self(f: Frame, e: ir.Expr) -> bool:
    return isinstance(e, ir.Name) and e.id == f.self_name


def _behind(cls: ClassInfo, name: str) -> str:
    """The attribute that a property hands out: `return self._step`; the name itself for everything else."""
    method = cls.method(name)
    if method is None or not method.decorated("property"):
        return name
    body = [s for s in method.node.body if not isinstance(s, ir.ExprStmt)]
    value = body[0].value if len(body) == 1 and isinstance(body[0], ir.Return) else None
    return value.name if isinstance(value, ir.Attr) and isinstance(value.value, ir.Name) else name


def _given(f: Frame, cls: ClassInfo, name: str) -> Const | None:
    """What the constructor gives an attribute that no public method sets to anything else before the first call."""
    initial: Value | None = f.interp.initially(f, cls, name)
    if not isinstance(initial, Const) or _plain(initial.value) is None:
        return None
    if f.effects.use is not None and (id(cls), name) in f.effects.use.changes:
        return None  # this very call has set it
    for c in cls.mro:
        for method in c.stored_in.get(name, ()) if isinstance(c, ClassInfo) else ():
            if method.node.name in CONSTRUCTORS or method.node.name.startswith("_") or method is f.function:
                continue
            if any(not _stores_same(s, name, initial) for s, _ in statements(method.node.body)):
                return None
    return initial


def _stores_same(s: ir.Stmt, name: str, initial: Const) -> bool:
    """Whether a statement leaves the attribute alone, steps from what it is, or sets it to what it was."""
    if not isinstance(s, ir.Assign) or not any(isinstance(t, ir.Attr) and t.name == name for t in s.targets):
        return True
    return isinstance(s.value, ir.Const) and key_of(Const(s.value.value)) == key_of(initial)


def _argument(owner: ClassInfo, name: str) -> Const | None:
    """The default of a constructor's argument, where the constructor keeps its arguments as the configuration."""
    for c in owner.mro:
        init = c.own("__init__") if isinstance(c, ClassInfo) else None
        if init is None:
            continue
        if not init.decorated("register_to_config") and not _saves(init):
            return None
        default = next((p.default for p in init.node.params if p.name == name), None)
        return _plain(default.value) if isinstance(default, ir.Const) else None
    return None


def _saves(init: FunctionInfo) -> bool:
    """Whether a constructor calls `self.save_hyperparameters()`."""
    return any(
        isinstance(e, ir.Call) and last_name(e.func) == "save_hyperparameters"
        for s, _ in statements(init.node.body)
        for e in expressions(own_expressions(s))
    )
