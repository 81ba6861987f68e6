"""Functions that activation checkpointing calls: they may change nothing that was made outside.

Measured on torch 2.13 and 2.15. What the body of `checkpoint` makes itself it may change; a write to anything else ends
the graph at the write. A number or text kept in an attribute is looked at again when the body is done: it ends the
graph at the call, unless the old value has been put back. `vmap`, `grad` and the `forward` of an autograd function
write freely; `cond` refuses such a body in eager mode as well, and `map` and `scan` raise where they are compiled.
Does not belong here: what such calls return (`models.steering`).
"""

from __future__ import annotations

from compilelint import events
from compilelint.interp.core.args import Args
from compilelint.interp.core.frame import Frame
from compilelint.interp.core.judging import if_judged
from compilelint.interp.effects.attribute_writes import home_of, outlives
from compilelint.project.classes import ClassInfo
from compilelint.syntax import ir
from compilelint.torchfacts import SyntaxForm
from compilelint.values import (
    LAZY,
    REBUILT,
    Bottom,
    Const,
    Instance,
    Mapping,
    Scalar,
    Sequence,
    Unknown,
    Value,
    arms,
    tensor_arm,
)


def call_body(f: Frame, callee: Value, args: Args, pos: int) -> Value:
    """Call a function as the body of `checkpoint`."""
    modes, kept = f.modes, f.effects.left_changed
    f.modes, f.effects.left_changed = modes.but(enters_body=True), False
    try:
        result = f.interp.call(f, callee, args, pos)
    finally:
        changed = f.effects.left_changed
        f.modes, f.effects.left_changed = modes, kept
    if changed and f.state is not None:
        _report(f, SyntaxForm.CHECKPOINT_KEPT, pos)
    return result


@if_judged
def attribute_written(f: Frame, target: ir.Attr, owner: Value, value: Value, pos: int) -> None:
    """`owner.name = value` in a body."""
    if not f.modes.in_body:
        return
    home = home_of(owner)
    if home is None or home[1] != "self" or not outlives(f, target.value, home[0]):
        return
    _kept(f, home[0], target.name, value, pos)


def attribute_set(f: Frame, owner: Value, name: str, value: Value, pos: int) -> None:
    """`setattr(owner, "name", value)` in a body."""
    home = home_of(owner) if f.modes.in_body and not f.modes.silent else None
    if home is not None and home[1] == "self" and home[0].is_module:
        _kept(f, home[0], name, value, pos)


def attribute_deleted(f: Frame, target: ir.Attr, owner: Value, pos: int) -> None:
    """`del owner.name` in a body."""
    home = home_of(owner) if f.modes.in_body and not f.modes.silent else None
    if home is not None and home[1] == "self" and outlives(f, target.value, home[0]):
        _report(f, SyntaxForm.CHECKPOINT_WRITE, pos)


def variable_written(f: Frame, holder: Frame | None, pos: int) -> None:
    """A variable of an enclosing function (`holder`), or a global, is assigned in a body."""
    if f.modes.in_body and not f.modes.silent and (holder is None or not holder.modes.in_body):
        _report(f, SyntaxForm.CHECKPOINT_WRITE, pos)


def container_changed(f: Frame, container: ir.Expr, held: Value, pos: int) -> None:
    """What an expression holds gets, loses or exchanges items in a body."""
    if f.modes.in_body and not f.modes.silent and any(map(_is_container, arms(held))) and _is_outside(f, container):
        _report(f, SyntaxForm.CHECKPOINT_WRITE, pos)


def _is_container(value: Value) -> bool:
    if isinstance(value, Sequence):
        return value.kind in ("list", "set", "iterator", LAZY, REBUILT)
    return isinstance(value, Mapping) or (isinstance(value, Instance) and value.name.startswith("collections."))


def _is_outside(f: Frame, expr: ir.Expr) -> bool:
    """Whether what an expression names was surely made outside the body."""
    if isinstance(expr, ir.Index):
        return _is_outside(f, expr.value)
    if isinstance(expr, ir.Attr):
        home = home_of(_quietly(f, expr.value))
        return home is not None and home[1] == "self" and outlives(f, expr.value, home[0])
    if not isinstance(expr, ir.Name) or f.function is None:
        return False
    alias = f.aliases.get(expr.id)
    if alias is not None:
        return _is_outside(f, alias)
    if expr.id in f.function.node.local_names or any(p.name == expr.id for p in f.function.node.params):
        given = any(p.name == expr.id and p.kind not in ("star", "double-star") for p in f.function.node.params)
        return f.modes.is_entry and given and not _is_rebound(f, expr.id)
    frame = f.closure
    while frame is not None:
        state = frame.state or frame.kept
        if state is not None and expr.id in state.names:
            return not frame.modes.in_body
        frame = frame.closure
    return expr.id in f.module.bindings


def _is_rebound(f: Frame, name: str) -> bool:
    """Whether the function assigns the parameter: what it names then may have been made in the body."""
    return f.function is not None and name in f.function.node.local_names and _assigned(f.function.node.body, name)


def _assigned(body: ir.Body, name: str) -> bool:
    for s in body:
        targets = s.targets if isinstance(s, ir.Assign) else ()
        if any(isinstance(t, ir.Name) and t.id == name for t in targets):
            return True
    return False


def _quietly(f: Frame, expr: ir.Expr) -> Value:
    modes, f.modes = f.modes, f.modes.silenced
    try:
        return f.eval(expr)
    finally:
        f.modes = modes


def _kept(f: Frame, cls: ClassInfo, name: str, value: Value, pos: int) -> None:
    initial = f.interp.initially(f, cls, name)
    if (
        isinstance(initial, Const)
        and isinstance(f.around.rhs, ir.AugAssign)
        and isinstance(f.around.rhs.value, ir.Const)
    ):
        f.effects.left_changed = True
    elif tensor_arm(value) is not None or (initial is not None and tensor_arm(initial) is not None):
        _report(f, SyntaxForm.CHECKPOINT_WRITE, pos)
    elif isinstance(f.around.rhs, (ir.Name, ir.Attr)):
        f.effects.left_changed = False  # what was there before, for all we know: it is put back
    elif isinstance(value, (Const, Scalar)):
        f.effects.left_changed = initial is not None and value.key != initial.key
    elif not any(isinstance(arm, (Unknown, Bottom, Const, Scalar)) for arm in arms(value)):
        _report(f, SyntaxForm.CHECKPOINT_WRITE, pos)


def _report(f: Frame, form: SyntaxForm, pos: int) -> None:
    outcome = f.interp.facts.syntax(form)
    if outcome is None:
        return  # this version was not asked
    f.emit(events.Syntax(f.site(pos), outcome, form.value))
    f.broken_by(outcome)
