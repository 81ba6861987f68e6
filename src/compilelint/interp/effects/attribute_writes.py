"""Writes of attributes, globals and variables of enclosing functions: which slot, from what, and after which look."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from compilelint.events import StateWhere
from compilelint.interp.core.judging import if_judged
from compilelint.interp.core.slots import Change, Slot
from compilelint.interp.effects import first_call_writes, optimizer_state, replaced_layers, tensor_guards
from compilelint.interp.effects.state_slots import doubted, guarded, in_training, use_of
from compilelint.interp.text.assigned import assigned_in
from compilelint.project.classes import ClassInfo
from compilelint.survey.scopes import expressions, own_expressions, statements
from compilelint.syntax import ir
from compilelint.syntax.facts import fact, of_statements
from compilelint.syntax.walk import dotted_name, last_name
from compilelint.values import UNKNOWN, ClassRef, Const, Object, Value, arms, serial_of, tensor_arm

if TYPE_CHECKING:
    from compilelint.interp.core.frame import Frame

_MOST_NAMES = 8  # local variables that are looked through behind one value
_JOINING = frozenset({"cat", "concat", "concatenate", "vstack", "hstack", "dstack", "stack"})


@if_judged
def wrote(f: Frame, target: ir.Attr, owner: Value, value: Value, pos: int, how: str) -> None:
    """`owner.name = value`, for an object or class that was there before the call."""
    if f.state is None:
        return
    home = home_of(owner)
    if home is None:
        return
    cls, where = home
    if optimizer_state.is_optimizer(cls):
        optimizer_state.assigned(f, cls, dotted_name(target) or target.name, pos)
        return
    slot: Slot = (id(cls), target.name)
    name = dotted_name(target) or f"{cls.node.qualname}.{target.name}"  # `type(self).n`, `self.parts[0].n`
    argument = where == "self" and not outlives(f, target.value, cls)
    initial = f.interp.initially(f, cls, target.name)
    spelled = frozenset({dotted_name(target)} - {""})
    _put(f, slot, name, "argument" if argument else where, value, initial, pos, how, spelled, cls)


def stored(f: Frame, owner: Value, name: str, value: Value, pos: int, how: str = "assign") -> None:
    """An attribute is stored by its name: `register_buffer`, `add_module`, `setattr`, `self.__dict__[name] = ...`."""
    home = home_of(owner)
    if f.modes.silent or f.state is None or home is None:
        return
    cls, where = home
    shown = f"{f.self_name or 'self'}.{name}"
    spelled = frozenset({shown}) if how == "augmented" or f.around.rhs is not None else frozenset[str]()
    _put(f, (id(cls), name), shown, where, value, f.interp.initially(f, cls, name), pos, how, spelled, cls)


def deleted(f: Frame, target: ir.Attr, owner: Value, pos: int) -> None:
    """`del owner.name`: the next call does not find it."""
    home = home_of(owner)
    if f.modes.silent or f.state is None or home is None:
        return
    cls, where = home
    slot: Slot = (id(cls), target.name)
    if slot in f.state.fresh:
        use_of(f).changes.pop(slot, None)
        return
    initial = f.interp.initially(f, cls, target.name)
    spelled = frozenset({dotted_name(target)} - {""})
    use_of(f).add(
        Change(
            slot,
            dotted_name(target) or target.name,
            "argument" if where == "self" and not outlives(f, target.value, cls) else where,
            "delete",
            f.site(pos),
            UNKNOWN,
            initial,
            conditional=f.around.conditional > 0,
            doubted=doubted(f),
            tested=_tested(f, spelled, slot),
        )
    )


def registered(f: Frame, obj: Object, name: Value | None, value: Value | None, pos: int) -> None:
    """`self.register_buffer("name", t)` and its like, in the region."""
    if isinstance(name, Const) and isinstance(name.value, str):
        stored(f, obj, name.value, UNKNOWN if value is None else value, pos)


def at_import(f: Frame, name: str) -> Value | None:
    """What a global of the frame's module holds before anything is called."""
    found = f.module.bindings.get(name)
    return f.interp.program.bound(f.module, found[0], name) if found else None


def outlives(f: Frame, owner: ir.Expr, cls: ClassInfo) -> bool:
    """Whether an object is surely the same in every call: a module, or held by one or by a global.

    Arguments, and what annotations promise of results, may be new objects each time.
    """
    head = dotted_name(owner).partition(".")[0]
    if head == f.self_name and f.self_name:
        return cls.is_module or id(cls) in f.interp.held or (f.context.caller is None and f.owner is not None)
    state = f.state
    local = state is not None and head in state.names
    return not local or (isinstance(owner, ir.Name) and owner.id in f.aliases)


def home_of(owner: Value) -> tuple[ClassInfo, StateWhere] | None:
    """The class whose slot it is; None for what is made in the region or unknown."""
    for arm in arms(owner):
        if isinstance(arm, Object) and not arm.inside and isinstance(arm.cls, ClassInfo):
            return arm.cls, "self"
        if isinstance(arm, ClassRef) and isinstance(arm.cls, ClassInfo) and not arm.cls.is_autograd_function:
            return arm.cls, "class"
    return None


@if_judged
def wrote_outer(
    f: Frame, name: str, value: Value, pos: int, how: str, where: StateWhere, initial: Value | None
) -> None:
    """`name = value` under `global` or `nonlocal`."""
    if f.state is None or f.function is None:
        return
    slot: Slot = (where, f.module.name if where == "global" else serial_of(f.closure), name)
    if slot not in f.state.fresh and _read_before(f, name, pos):
        use_of(f).reads.add(slot)
    shown = f"G['{name}']" if where == "global" else name
    _put(f, slot, shown, where, value, initial, pos, how, frozenset({name}))


def within_call(frame: Frame) -> bool:
    """Whether the variables of an enclosing function are made again by every call of the region.

    They are where that function is still running, or takes tensors: then it is compiled itself, and no factory.
    """
    if frame.state is not None or frame.function is None:
        return frame.function is not None
    names = [p.name for p in frame.function.node.params]
    kept = frame.kept.names if frame.kept is not None else {}
    return any(tensor_arm(kept.get(name, UNKNOWN)) is not None for name in names)


def _reads(e: ir.Expr, slot: Slot, spelled: frozenset[str]) -> bool:
    """Whether an expression reads the slot, by one of its names or by asking for it."""
    return (isinstance(e, (ir.Attr, ir.Name)) and dotted_name(e) in spelled) or _asks_for(e, slot)


def _put(
    f: Frame,
    slot: Slot,
    name: str,
    where: StateWhere,
    value: Value,
    initial: Value | None,
    pos: int,
    how: str,
    spelled: frozenset[str],
    cls: ClassInfo | None = None,
) -> None:
    """Record a write; unconditional and not following from the old value, it makes the earlier ones void."""
    state = f.state
    assert state is not None
    rhs = f.around.rhs
    conditional = f.around.conditional > 0 or bool(f.around.loops)
    use = use_of(f)
    if first_call_writes.restores(f, rhs, spelled):
        if not conditional:
            use.changes.pop(slot, None)
        return
    made_of = [] if rhs is None else list(behind(f, rhs, pos))
    op = rhs.op if isinstance(rhs, ir.AugAssign) else operator_of(made_of)
    follows = how == "augmented" or any(_reads(e, slot, spelled) for e in made_of)
    if follows:
        guarded(f, slot)
        value = first_call_writes.as_first_met(f, rhs, spelled, initial, value, pos)
    if not follows and not conditional:
        use.changes.pop(slot, None)
    joined = follows and joins(made_of, spelled)
    fails = "" if joined else tensor_guards.fails(f, cls, str(slot[-1]), initial, rhs, pos)
    if replaced_layers.made_otherwise(cls, str(slot[-1]), initial, rhs):
        fails = "flips"
    doubt = None if joined or fails else tensor_guards.doubtful(f, cls, str(slot[-1]), rhs, pos)
    use.add(
        Change(
            slot,
            name,
            where,
            "step" if follows else "write",
            f.site(pos),
            value,
            initial,
            op,
            joined,
            conditional,
            doubted(f),
            where in ("global", "closure") and _only_counted(f, name.removeprefix("G['").removesuffix("']"), pos),
            _tested(f, spelled, slot),
            follows and by_literal(rhs),
            in_training(f),
            "reshapes" if doubt is not None else fails,
            first_call_writes.amount(rhs) if follows else 0,
            doubt,
        )
    )
    state.fresh |= {slot}


def by_literal(rhs: ir.AugAssign | ir.Expr | None) -> bool:
    """`n += 1`, `n = n + 1`."""
    if isinstance(rhs, ir.AugAssign):
        step: ir.Expr | None = rhs.value if rhs.op in ("+", "-") else None
    else:
        step = rhs.right if isinstance(rhs, ir.Binary) and rhs.op in ("+", "-") else None
    return isinstance(step, ir.Const) and type(step.value) is int


def _tested(f: Frame, spelled: frozenset[str], slot: Slot) -> bool:
    """Whether every test around a write asks about the slot, by a variable too: `m = self.mask; if m is None`."""
    return bool(f.around.tests) and all(
        any(_looks_at(e, spelled, slot) for e in behind(f, test, test.pos)) for test, _ in f.around.tests
    )


def _looks_at(e: ir.Expr, spelled: frozenset[str], slot: Slot) -> bool:
    """Whether an expression names the slot, as itself or as text: `hasattr(self, "mask")`."""
    named = isinstance(e, (ir.Attr, ir.Name)) and dotted_name(e) in spelled
    return named or (isinstance(e, ir.Const) and e.value == slot[-1])


def behind(f: Frame, rhs: ir.AugAssign | ir.Expr, pos: int) -> Iterator[ir.Expr]:
    """The expressions that a written value is made of, looking through local variables assigned before."""
    first: ir.Expr = rhs.value if isinstance(rhs, ir.AugAssign) else rhs
    seen: set[str] = set()
    todo = [first]
    assigned: dict[str, list[tuple[int, ir.Expr]]] | None = None
    while todo:
        for e in expressions([todo.pop()]):
            yield e
            if isinstance(e, ir.Name) and e.id not in seen and len(seen) < _MOST_NAMES:
                seen.add(e.id)
                assigned = assigned_in(f) if assigned is None else assigned
                todo.extend(value for at, value in assigned.get(e.id, ()) if at < pos)


def operator_of(made_of: list[ir.Expr]) -> str:
    """What makes a value: an operator, `not`, `[]`, `min`, `max`; empty where it is merely chosen or passed on."""
    first = made_of[0] if made_of else None
    if isinstance(first, ir.Binary):
        return first.op
    if isinstance(first, ir.Unary) and first.op == "not":
        return "not"
    if isinstance(first, ir.Index):
        return "[]"
    if isinstance(first, ir.Display):
        starred = [item.value for item in first.items if isinstance(item, ir.Star)]
        return "+" if any(not isinstance(one, ir.Index) for one in starred) else ""
    if isinstance(first, (ir.IfExp, ir.BoolOp)):  # one of several values: only what stands in it counts
        made_of = list(expressions([first]))
    if isinstance(first, ir.Call) and isinstance(first.func, ir.Name) and first.func.id in ("min", "max"):
        return first.func.id
    return next((e.op for e in made_of if isinstance(e, ir.Binary)), "")


def _asks_for(e: ir.Expr, slot: Slot) -> bool:
    """`getattr(self, "name", 0)` reads the slot too."""
    if isinstance(e, ir.Call) and isinstance(e.func, ir.Name) and e.func.id == "getattr" and len(e.args) > 1:
        name = e.args[1]
        return isinstance(name, ir.Const) and name.value == slot[-1]
    return False


def joins(made_of: list[ir.Expr], spelled: frozenset[str] = frozenset()) -> bool:
    """Whether tensors are concatenated and nothing is cut off again."""
    for e in made_of:
        if isinstance(e, ir.Index) and _has_slice(e.index):
            base = e.value
            if any(_is_join(one) for one in expressions([base])):
                return False
        if _is_join(e) and _cuts_its_own(e, spelled):
            return False
    return any(_is_join(e) for e in made_of)


def _cuts_its_own(e: ir.Expr, spelled: frozenset[str]) -> bool:
    """`torch.cat([self.window[1:], x])`: what is appended to has lost something before."""
    return any(
        isinstance(one, ir.Index) and _has_slice(one.index) and dotted_name(one.value) in spelled
        for one in expressions([e])
    )


def _is_join(e: ir.Expr) -> bool:
    return isinstance(e, ir.Call) and last_name(e.func) in _JOINING


def _has_slice(index: ir.Expr) -> bool:
    parts = index.items if isinstance(index, ir.Display) else (index,)
    return any(isinstance(p, ir.Slice) for p in parts)


def _read_before(f: Frame, name: str, pos: int) -> bool:
    """Whether the function reads a name above a place."""
    assert f.function is not None
    first = fact(f.function.node, _first_reads).get(name)
    return first is not None and first < pos


@of_statements
def _first_reads(function: ir.Function) -> dict[str, int]:
    """The first place where a function's own statements read each name."""
    found: dict[str, int] = {}
    for s, _ in statements(function.body):
        stores = _stored_names(s)
        for e in expressions(own_expressions(s)):
            if isinstance(e, ir.Name) and id(e) not in stores:
                found[e.id] = min(e.pos, found.get(e.id, e.pos))
    return found


def _only_counted(f: Frame, name: str, pos: int) -> bool:
    """Whether nothing but the statement that changes a name looks at it."""
    return f.function is not None and fact(f.function.node, _looked_at_in).get(name, set()) <= {pos}


@of_statements
def _looked_at_in(function: ir.Function) -> dict[str, set[int]]:
    """The statements of a function that name something without assigning it, by their places."""
    found: dict[str, set[int]] = {}
    for s, _ in statements(function.body):
        targets = s.targets if isinstance(s, ir.Assign) else (s.target,) if isinstance(s, ir.AugAssign) else ()
        assigned = {t.id for t in targets if isinstance(t, ir.Name)}
        for e in expressions(own_expressions(s)):
            if isinstance(e, ir.Name) and e.id not in assigned:
                found.setdefault(e.id, set()).add(s.pos)
    return found


def _stored_names(s: ir.Stmt) -> set[int]:
    targets = s.targets if isinstance(s, ir.Assign) else ()
    return {id(t) for t in targets}
