"""Layers whose constructor gives them a hook for the backward pass: `self.body.register_full_backward_hook(f)`.

Measured on torch 2.13 and 2.15: without compiled autograd Dynamo ends the graph before it calls such a layer, for each
of the kinds below, on a layer, on a part of a `Sequential` and on items of a `ModuleList`; a hook that a module
registers on itself stays out of the way where the module is the one that is compiled.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from compilelint import events
from compilelint.interp.core.frame import Frame
from compilelint.interp.core.refusals import refusal
from compilelint.model import Doubt
from compilelint.project.classes import ClassInfo, FunctionInfo
from compilelint.syntax import ir

REGISTERING: Final = frozenset({"register_full_backward_hook", "register_full_backward_pre_hook"})
_NEEDS_COMPILED_AUTOGRAD: Final = "GB0083"  # "Module-level backwards hooks require compiled autograd."


def reached(f: Frame, n: ir.Call) -> None:
    """A layer of `self` is called: the graph ends before it where the constructor hooked it."""
    owner = f.function.owner if isinstance(f.function, FunctionInfo) else None
    layer = n.func
    item = layer.__class__ is ir.Index
    if layer.__class__ is ir.Index:
        layer = layer.value
    if owner is None or f.modes.silent or not isinstance(layer, ir.Attr) or not _is_self(f, layer.value):
        return
    how = hooked(f, owner).get(layer.name)
    if how is None:
        return
    outcome = refusal(f, _NEEDS_COMPILED_AUTOGRAD)
    cap = f.around.cap
    if how == "one item" and item:
        f.around.cap = Doubt.SOME_CALLEES.lower(cap)
    f.emit(events.Syntax(f.site(n.pos), outcome, events.HOOKED_LAYER))
    f.broken_by(outcome)
    f.around.cap = cap


def _is_self(f: Frame, expr: ir.Expr) -> bool:
    params = () if f.function is None else f.function.node.params
    return isinstance(expr, ir.Name) and bool(params) and params[0].name == expr.id


def hooked(f: Frame, owner: ClassInfo) -> dict[str, str]:
    """By attribute of `self`: whether its constructor hooks the "layer" itself or "one item" of it."""
    known = f.interp.backward_hooked
    found = known.get(owner)
    if found is None:
        found = known[owner] = {}
        for c in owner.mro:
            constructor = c.own("__init__") if isinstance(c, ClassInfo) else None
            if constructor is not None and constructor.node.params:
                found.update(_registered(constructor.node))
    return found


def _unconditional(body: ir.Body) -> Iterator[ir.Stmt]:
    for s in body:
        yield s
        if isinstance(s, ir.For):
            yield from s.body


def _registered(constructor: ir.Function) -> Iterator[tuple[str, str]]:
    own = constructor.params[0].name
    loops: dict[str, ir.Expr] = {}
    for s in _unconditional(constructor.body):
        if isinstance(s, ir.For) and isinstance(s.target, ir.Name):
            loops[s.target.id] = s.iterable
        if not isinstance(s, ir.ExprStmt) or not isinstance(s.value, ir.Call) or not isinstance(s.value.func, ir.Attr):
            continue
        if s.value.func.name not in REGISTERING:
            continue
        layer, how = s.value.func.value, "layer"
        if isinstance(layer, ir.Name):
            layer = loops.get(layer.id, layer)
        elif isinstance(layer, ir.Index):
            layer, how = layer.value, "one item"
        if isinstance(layer, ir.Attr) and isinstance(layer.value, ir.Name) and layer.value.id == own:
            yield layer.name, how
