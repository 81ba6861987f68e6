"""State that outlives the call: what a root reads of it before writing it, and what it leaves changed.

Dynamo guards the state that a frame reads at its first value; what is written before it is read, or only written, sets
no guard. A frame keeps the two sets here (`Use`), a call hands them to its caller, and `changes` compares them when
the root is done. A slot is an attribute of a class of the program, a global, a variable of an enclosing function, a
mutable default, or the contents of one of these: instances of one class share their slots.
Does not belong here: whether a change matters (`changes`).
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from compilelint.interp.core.judging import if_judged
from compilelint.interp.core.slots import Slot, Use
from compilelint.project.classes import CONSTRUCTORS, ClassInfo
from compilelint.syntax import ir
from compilelint.syntax.facts import fact
from compilelint.syntax.walk import dotted_name, statements_of
from compilelint.values import (
    Const,
    Object,
    Value,
    truth,
    usual_of,
)

if TYPE_CHECKING:
    from compilelint.interp.core.frame import Frame

LAYER_NUMBERS = frozenset(
    """
    layer_idx layer_id layer_index layer_num layer_number block_idx block_id block_index block_num block_number
    """.split()
)


_TABLES = frozenset({"_buffers", "_parameters", "_modules"})


def use_of(f: Frame) -> Use:
    """The frame's record, made when it is first needed: most frames touch no such state."""
    if f.effects.use is None:
        f.effects.use = Use()
    return f.effects.use


@if_judged
def read(f: Frame, obj: Object, name: str, pos: int) -> None:
    """An attribute of an object is read; it counts where some method other than a constructor writes it."""
    if obj.inside:
        return
    cls = obj.cls
    names = f.interp.changing.get(id(cls))
    if names is None:
        names = f.interp.changing[id(cls)] = f.interp.answer(_written_later, cls)
    if name in names or (f.function is not None and name in fact(f.function.node, _stored_from_outside)):
        guarded(f, (id(cls), name))
    elif name in LAYER_NUMBERS and f.context.linted:
        use_of(f).numbered.setdefault((id(cls), name), f.site(pos))


@if_judged
def asked_for(f: Frame, obj: Value | None, name: Value | None) -> None:
    """`hasattr(obj, "name")` and `getattr(obj, "name", default)`: a guard on whether the attribute is there.

    What the first call finds is guarded even where the attribute was written before the look.
    """
    if not isinstance(obj, Object) or obj.inside:
        return
    if isinstance(name, Const) and isinstance(name.value, str):
        slot = (id(obj.cls), name.value)
        use_of(f).reads |= {slot, (*slot, "asked")}


def looked_up(f: Frame, table: ir.Expr, name: Value) -> None:
    """`"mask" in self._buffers`: asks for the attribute."""
    if isinstance(table, ir.Attr) and table.name in _TABLES and not f.modes.silent:
        asked_for(f, f.eval(table.value), name)


def class_read(f: Frame, cls: object, name: str) -> None:
    """An attribute of a class is read by the name of the class; any function may write it so."""
    if not f.modes.silent:
        guarded(f, (id(cls), name))


def guarded(f: Frame, slot: Slot) -> None:
    """The slot is looked at: Dynamo guards it, unless this call has written it before."""
    state = f.state
    if state is not None and slot not in state.fresh:
        use_of(f).reads.add(slot)


def _written_later(cls: object) -> frozenset[str]:
    if not isinstance(cls, ClassInfo):
        return frozenset()
    found = set()
    for c in cls.mro:
        if isinstance(c, ClassInfo):
            for name, methods in c.stored_in.items():
                if name not in found and any(m.node.name not in CONSTRUCTORS for m in methods):
                    found.add(name)
    return frozenset(found)


def _stored_from_outside(node: ir.Function) -> frozenset[str]:
    """The attributes that a function stores on what another object holds: `self.memory.h = x`."""
    stored = (t for s in statements_of(node.body) if isinstance(s, ir.Assign) for t in s.targets)
    return frozenset(t.name for t in stored if isinstance(t, ir.Attr) and isinstance(t.value, ir.Attr))


# ----------------------------------------------------------------------- tests


def in_training(f: Frame) -> bool:
    """Whether the line is reached in training only."""
    return any(taken and _asks_for_training(test) for test, taken in f.around.tests)


def _asks_for_training(test: ir.Expr) -> bool:
    if isinstance(test, ir.BoolOp):
        return test.op == "and" and any(map(_asks_for_training, test.values))
    return isinstance(test, ir.Attr) and test.name == "training"


def doubted(f: Frame, built: bool = False) -> bool:
    """Whether a test around this line fails with what arguments and attributes hold unless they are set elsewhere.

    With `built`, of attributes alone, and also with what the constructor's own defaults give them.
    """
    return any(_fails(f, test, taken, built) for test, taken in f.around.tests)


def _fails(f: Frame, test: ir.Expr, taken: bool, built: bool) -> bool:
    if isinstance(test, ir.Unary) and test.op == "not":
        return _fails(f, test.operand, not taken, built)
    if isinstance(test, ir.BoolOp):
        if (test.op == "and") is taken:
            return any(_fails(f, one, taken, built) for one in test.values)
        return all(_fails(f, one, taken, built) for one in test.values)
    if isinstance(test, ir.Compare) and len(test.ops) == 1 and test.ops[0] in ("is", "is not"):
        right = test.rights[0]
        if isinstance(right, ir.Const) and right.value is None:
            known = _unset(f, test.left, built)
            return known is not None and ((known.value is None) is (test.ops[0] == "is")) is not taken
        return False
    if isinstance(test, ir.Compare):
        return _compares(f, test, built) is (not taken)
    known = _unset(f, test, built)
    return known is not None and bool(known.value) is not taken


def _compares(f: Frame, test: ir.Compare, built: bool) -> bool | None:
    """What a comparison of such a constant with a number that is written down gives: `self.drop < 1.0`."""
    compare = _COMPARISONS.get(test.ops[0]) if len(test.ops) == 1 else None
    right = test.rights[0]
    known = None
    if compare is not None and isinstance(right, ir.Const):
        known = _unset(f, test.left, built) or (_default_of(f, test.left) if built else None)
    if known is None or compare is None or not isinstance(right, ir.Const):
        return None
    numbers = isinstance(known.value, (int, float)) and isinstance(right.value, (int, float))
    return bool(compare(known.value, right.value)) if numbers else None


def _default_of(f: Frame, e: ir.Expr) -> Const | None:
    """The default of the constructor's parameter that an attribute holds, where the constructor alone sets it."""
    owner = f.here.names.get(f.self_name) if isinstance(e, ir.Attr) and dotted_name(e.value) == f.self_name else None
    if not isinstance(e, ir.Attr) or not isinstance(owner, Object) or not isinstance(owner.cls, ClassInfo):
        return None
    init = owner.cls.method("__init__")
    if init is None or owner.cls.stored_later(e.name):
        return None
    stored = [
        s.value
        for s in statements_of(init.node.body)
        if isinstance(s, ir.Assign) and any(dotted_name(one) == f"{f.self_name}.{e.name}" for one in s.targets)
    ]
    if len(stored) != 1 or not isinstance(stored[0], ir.Name):
        return None
    given = next((p.default for p in init.node.params if p.name == stored[0].id), None)
    return Const(given.value) if isinstance(given, ir.Const) else None


_COMPARISONS: dict[str, Callable[[Any, Any], Any]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
}


def _unset(f: Frame, e: ir.Expr, built: bool) -> Const | None:
    """The constant that a parameter has by default, or that only the constructor gives an attribute."""
    function = f.function
    if isinstance(e, ir.Name) and function is not None and not built:
        for p in function.node.params:
            if p.name == e.id and isinstance(p.default, ir.Const) and f.context.caller is None:
                return Const(p.default.value)
        return None
    if isinstance(e, ir.Attr) and isinstance(e.value, ir.Name) and e.value.id == f.self_name and e.name != "training":
        owner = f.here.names.get(f.self_name)
        if isinstance(owner, Object) and isinstance(owner.cls, ClassInfo):
            if f.effects.use is not None and (id(owner.cls), e.name) in f.effects.use.changes:
                return None  # set by this very region
            initial = f.interp.initially(f, owner.cls, e.name)
            if built and initial is not None:
                initial = usual_of(initial) or initial
            return initial if isinstance(initial, Const) and truth(initial) is not None else None
    return None


# ----------------------------------------------------------------------- calls


@if_judged
def merge(f: Frame, use: Use | None) -> None:
    """What a call read and changed, seen from its caller."""
    state = f.state
    if use is None or state is None:
        return
    fresh = state.fresh
    mine = use_of(f)
    # What a slot holds is as new as the slot itself.
    mine.reads |= {one for one in use.reads if one[:2] not in fresh and one[:3] not in fresh} if fresh else use.reads
    if use.changes:
        conditional, doubt = f.around.conditional > 0, bool(f.around.tests) and doubted(f)
        trained = (conditional or doubt) and in_training(f)
        for slot, found in use.changes.items():
            known = mine.changes.setdefault(slot, {})
            for key, change in found.items():
                calls = use.calls[slot, key] + 1
                if conditional or doubt:
                    tested = change.tested and not conditional
                    training = change.training or trained
                    doubted_now = change.doubted or doubt
                    now = (change.conditional or conditional, doubted_now, tested, training)
                    if now != (change.conditional, change.doubted, change.tested, change.training):
                        change = replace(
                            change, conditional=now[0], doubted=doubted_now, tested=tested, training=training
                        )
                mine.calls[slot, key] = min(calls, mine.calls[slot, key]) if key in known else calls
                known[key] = change
    if use.written:
        state.fresh = fresh | use.written
