"""Changes of what outer containers and iterators hold: lists that grow, dicts that gain keys, counters in them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from compilelint.events import StateHow, StateWhere
from compilelint.interp import tensor_guards
from compilelint.interp.items import HELD
from compilelint.interp.kept_state import Change, ChangeHow, Slot, doubted, guarded, in_training, use_of
from compilelint.interp.writes import behind, by_literal, home_of, joins, operator_of, outlives, within_call
from compilelint.survey.scopes import expressions, own_expressions, statements
from compilelint.syntax import ir
from compilelint.syntax.walk import dotted_name, last_name
from compilelint.values import BOTTOM, Const, Instance, Mapping, Sequence, Value, arms

if TYPE_CHECKING:
    from compilelint.interp.frame import Frame

_GROWING = frozenset({"append", "extend", "insert", "appendleft"})
_KEYED = frozenset({"add", "update", "setdefault"})
_SHRINKING = frozenset({"pop", "popitem", "popleft", "remove", "discard", "clear", "del"})
_OF_MODULES = frozenset({"torch.nn.ModuleList", "torch.nn.ModuleDict"})
CHANGING = _GROWING | _KEYED | _SHRINKING


def contained(f: Frame, expr: ir.Expr, how: str, value: Value, pos: int, key: Value | None = None) -> None:
    """The container that `expr` names is changed: by a method (`how` is its name), or by an item store (`item`)."""
    if f.silent or f.state is None:
        return
    place = _slot_of(f, expr)
    if place is None:
        return
    slot, name, where, initial = place
    if slot in f.state.fresh or not _is_container(initial):
        return
    if how in ("item", "augmented"):
        _item_changed(f, slot, name, where, initial, how, value, pos, key)
        return
    kind: ChangeHow = "grow" if how in _GROWING else "shrink" if how in _SHRINKING else "key"
    if how == "pop" and _is_dict(initial) and (not isinstance(key, Const) or not _may_hold(initial, key.value)):
        return  # an unknown key may be put back: `d[k] = d.pop(k)`
    if how in ("setdefault", "add") and isinstance(key, Const) and _holds_key(initial, key.value):
        return
    if how == "clear":
        use_of(f).changes.pop((*slot, "contents"), None)
    known = kind == "key" and isinstance(key, Const)
    _changed(f, (*slot, "contents"), name, where, kind, value, initial, pos, how, literal=known)


def handed_in(f: Frame, iterator: ir.Expr) -> bool:
    """Whether an iterator that nothing is known of comes from outside: an attribute, an argument, a global.

    What a call in the region returned was made there, and Dynamo advances it.
    """
    if isinstance(iterator, ir.Name):
        parameters = () if f.function is None else f.function.node.params
        return iterator.id not in f.here.names or any(one.name == iterator.id for one in parameters)
    return isinstance(iterator, ir.Attr)


def advanced(f: Frame, expr: ir.Expr, value: Value, pos: int) -> None:
    """`next(iterator)` of an iterator that was there before the call."""
    if f.silent or f.state is None:
        return
    place = _slot_of(f, expr)
    if place is not None and place[0] not in f.state.fresh and place[2] != "argument":
        slot, name, where, initial = place
        _changed(f, (*slot, "next"), name, where, "next", value, initial, pos)


def _item_changed(
    f: Frame,
    slot: Slot,
    name: str,
    where: StateWhere,
    initial: Value | None,
    how: str,
    value: Value,
    pos: int,
    key: Value | None,
) -> None:
    rhs = f.rhs
    op = rhs.op if isinstance(rhs, ir.AugAssign) else ""
    base = name.removeprefix("G['").removesuffix("']")
    made_of = [] if rhs is None else list(behind(f, rhs, pos))
    follows = how == "augmented" or any(isinstance(e, (ir.Attr, ir.Name)) and dotted_name(e) == base for e in made_of)
    shown = repr(key.value) if isinstance(key, Const) else "..."
    there = isinstance(key, Const) and _holds_key(initial, key.value)
    held = _held_under(initial, key.value) if isinstance(key, Const) else None
    fails = tensor_guards.fails(f, None, "", held, rhs, pos) if there else ""
    if follows:
        op = op or operator_of(made_of)
        name = f"{name}[{shown}]"
        _changed(f, (*slot, shown), name, where, "step", value, held, pos, op, joins(made_of), by_literal(rhs), fails)
    elif there and isinstance(key, Const) and _read_before(f, base, key.value, pos):
        _changed(f, (*slot, shown), f"{name}[{shown}]", where, "write", value, held, pos, fails=fails)
    elif _is_dict(initial) and not there and (isinstance(key, Const) or _is_empty_dict(initial)):
        known = isinstance(key, Const)
        _changed(f, (*slot, "contents"), name, where, "key", value, initial, pos, literal=known)


def _read_before(f: Frame, base: str, key: object, pos: int) -> bool:
    """Whether the function reads the item above a place."""
    if f.function is None:
        return False
    for s, _ in statements(f.function.node.body):
        stored = {id(t) for t in s.targets} if isinstance(s, ir.Assign) else set()
        for e in expressions(own_expressions(s)):
            if isinstance(e, ir.Index) and e.pos < pos and id(e) not in stored and dotted_name(e.value) == base:
                index = e.index
                if isinstance(index, ir.Const) and index.value == key:
                    return True
    return False


def _changed(
    f: Frame,
    slot: Slot,
    name: str,
    where: StateWhere,
    how: ChangeHow,
    value: Value,
    initial: Value | None,
    pos: int,
    op: str = "",
    joined: bool = False,
    literal: bool = False,
    fails: StateHow | Literal[""] = "",
) -> None:
    """A change that is a look at the old contents as well."""
    guarded(f, slot)
    conditional = f.conditional > 0
    use_of(f).add(
        Change(
            slot,
            name,
            where,
            how,
            f.site(pos),
            value,
            initial,
            op,
            joined,
            conditional,
            doubted(f),
            literal=literal,
            training=in_training(f),
            fails=fails,
        )
    )


def _slot_of(f: Frame, expr: ir.Expr) -> tuple[Slot, str, StateWhere, Value | None] | None:
    """Slot, spelling, home and initial value of a container that outlives the call; None for any other."""
    if isinstance(expr, ir.Name):
        alias = f.aliases.get(expr.id) if f.aliases else None
        if alias is not None:
            return _slot_of(f, alias)
        return _variable_place(f, expr.id)
    if isinstance(expr, ir.Attr) and dotted_name(expr):
        silent, f.silent = f.silent, True
        try:
            owner = f.eval(expr.value)
        finally:
            f.silent = silent
        home = home_of(owner)
        if home is None:
            return None
        cls, where = home
        argument = where == "self" and not outlives(f, expr.value, cls)
        initial = _unwrapped(f.interp.initially(f, cls, expr.name))
        return (id(cls), expr.name), dotted_name(expr), "argument" if argument else where, initial
    if isinstance(expr, ir.Index):
        base = _slot_of(f, expr.value)
        if base is None:
            return None
        slot, name, where, initial = base
        key = expr.index.value if isinstance(expr.index, ir.Const) else None
        shown = "..." if key is None else repr(key)
        return (*slot, shown), f"{name}[{shown}]", where, _held_under(initial, key)
    return None


def _variable_place(f: Frame, name: str) -> tuple[Slot, str, StateWhere, Value | None] | None:
    function = f.function
    if function is None or f.state is None:
        return None
    for p in function.node.params:
        if p.name == name:
            mutable = isinstance(p.default, (ir.DictDisplay, ir.Display)) or (
                isinstance(p.default, ir.Call) and last_name(p.default.func) in ("list", "dict", "set", "defaultdict")
            )
            if not mutable or (isinstance(p.default, ir.Display) and p.default.kind == "tuple"):
                return None
            slot: Slot = ("default", id(p))
            default = f.interp.default(function, p)
            known = f.use is not None and any(one[:2] == slot for one in f.use.reads)
            if known or f.context.caller is None or f.state.names.get(name) is default:
                return slot, name, "default", default
            return None
    if name in function.node.local_names:
        return None
    frame = f.closure
    while frame is not None:
        state = frame.state or frame.kept
        if state is not None and name in state.names:
            if within_call(frame):
                return None
            return ("closure", frame.serial, name), name, "closure", state.names[name]
        frame = frame.closure
    if name in f.module.bindings:
        return ("global", f.module.name, name), f"G['{name}']", "global", f.lookup(name)
    return None


def _holds_key(initial: Value | None, key: object) -> bool:
    """Whether a container is known to hold a key before the first call."""
    if isinstance(initial, Mapping):
        return initial.get(key) is not None or not initial.exact
    if isinstance(initial, Sequence) and initial.kind == "set" and initial.element is BOTTOM:
        return initial.items is not None and any(
            not isinstance(one, Const) or one.value == key for one in initial.items
        )
    return isinstance(initial, Sequence)


def _may_hold(initial: Value | None, key: object) -> bool:
    return not isinstance(initial, Mapping) or not initial.exact or initial.get(key) is not None


def _unwrapped(initial: Value | None) -> Value | None:
    """What a `ModuleList` or `ModuleDict` holds, as a list or dict."""
    if not isinstance(initial, Instance) or initial.name not in _OF_MODULES:
        return initial
    held = dict(initial.state).get(HELD)
    return Mapping(held.entries, held.element, True) if isinstance(held, Mapping) else held or initial


def _held_under(initial: Value | None, key: object) -> Value | None:
    if isinstance(initial, Mapping):
        return initial.get(key)
    if isinstance(initial, Sequence) and initial.items is not None and type(key) is int:
        return initial.items[key] if -len(initial.items) <= key < len(initial.items) else None
    return None


def _is_container(initial: Value | None) -> bool:
    """Whether it is a list, dict, set or deque for all we know; what a caller passed in may be anything."""
    for arm in () if initial is None else arms(initial):
        if isinstance(arm, (Mapping, Sequence)) or (isinstance(arm, Instance) and arm.name.startswith("collections.")):
            return True
    return False


def _is_dict(initial: Value | None) -> bool:
    return isinstance(initial, Mapping)


def _is_empty_dict(initial: Value | None) -> bool:
    return isinstance(initial, Mapping) and not initial.entries and initial.exact
