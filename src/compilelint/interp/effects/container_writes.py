"""Changes of what outer containers and iterators hold: lists that grow, dicts that gain keys, counters in them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from compilelint.events import StateHow, StateWhere
from compilelint.interp.core.judging import if_judged
from compilelint.interp.core.markers import HELD
from compilelint.interp.core.slots import Change, ChangeHow, Slot
from compilelint.interp.effects import optimizer_state, tensor_guards
from compilelint.interp.effects.attribute_writes import (
    behind,
    by_literal,
    home_of,
    joins,
    operator_of,
    outlives,
    within_call,
)
from compilelint.interp.effects.state_slots import doubted, guarded, in_training, use_of
from compilelint.survey.scopes import expressions, own_expressions, statements
from compilelint.syntax import ir
from compilelint.syntax.walk import dotted_name, last_name
from compilelint.values import BOTTOM, UNKNOWN, Const, Instance, Mapping, Sequence, Value, arms

if TYPE_CHECKING:
    from compilelint.interp.core.frame import Frame

_GROWING = frozenset({"append", "extend", "insert", "appendleft"})
_KEYED = frozenset({"add", "update", "setdefault"})
_SHRINKING = frozenset({"pop", "popitem", "popleft", "remove", "discard", "clear", "del"})
_OF_MODULES = frozenset({"torch.nn.ModuleList", "torch.nn.ModuleDict"})
_TURNING = frozenset({"reverse", "rotate"})
CHANGING = _GROWING | _KEYED | _SHRINKING | _TURNING


@if_judged
def contained(f: Frame, expr: ir.Expr, how: str, value: Value, pos: int, key: Value | None = None) -> None:
    """The container that `expr` names is changed: by a method (`how` is its name), or by an item store (`item`)."""
    if f.state is None:
        return
    if optimizer_state.contained(f, expr, how, pos, key):
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
    if how in _TURNING:
        if _turns(initial):
            _changed(f, (*slot, "contents"), name, where, "write", value, initial, pos, fails="flips")
        return
    if how in _GROWING and _is_full(f, expr):
        return  # what goes in at one end pushes out as much at the other
    if how == "update" and _updated(f, slot, name, where, initial, value, pos):
        return
    kind: ChangeHow = "grow" if how in _GROWING else "shrink" if how in _SHRINKING else "key"
    if how == "pop" and _is_dict(initial) and (not isinstance(key, Const) or not _may_hold(initial, key.value)):
        return  # an unknown key may be put back: `d[k] = d.pop(k)`
    made = _constants_of_set(f, expr) if isinstance(key, Const) else None
    if made is not None and isinstance(key, Const):
        if (how in ("discard", "remove") and key.value not in made) or (how == "add" and key.value in made):
            return
    elif how in ("setdefault", "add") and isinstance(key, Const) and _holds_key(initial, key.value):
        return
    if how == "clear":
        use_of(f).changes.pop((*slot, "contents"), None)
    known = kind == "key" and isinstance(key, Const)
    _changed(f, (*slot, "contents"), name, where, kind, value, initial, pos, how, literal=known)


@if_judged
def looked_up(f: Frame, expr: ir.Expr, key: Value, pos: int) -> None:
    """`self.memory[k]` of a `defaultdict`: a key that is missing in the first call is there in the next."""
    made = _made(f, expr)
    if not made or not all(isinstance(one, ir.Call) and last_name(one.func) == "defaultdict" for one in made):
        return
    place = _slot_of(f, expr)
    if place is None or f.state is None or place[0] in f.state.fresh:
        return
    slot, name, where, initial = place
    if isinstance(initial, Mapping) and not initial.entries:
        known = isinstance(key, Const)
        _changed(f, (*slot, "contents"), name, where, "key", UNKNOWN, initial, pos, literal=known)


def handed_in(f: Frame, iterator: ir.Expr) -> bool:
    """Whether an iterator that nothing is known of comes from outside: an attribute, an argument, a global.

    What a call in the region returned was made there, and Dynamo advances it.
    """
    if isinstance(iterator, ir.Name):
        parameters = () if f.function is None else f.function.node.params
        return iterator.id not in f.here.names or any(one.name == iterator.id for one in parameters)
    return isinstance(iterator, ir.Attr)


@if_judged
def advanced(f: Frame, expr: ir.Expr, value: Value, pos: int) -> None:
    """`next(iterator)` of an iterator that was there before the call."""
    if f.state is None:
        return
    place = _slot_of(f, expr)
    if place is not None and place[0] not in f.state.fresh and place[2] != "argument":
        slot, name, where, initial = place
        if _repeats(f, expr):
            return
        _changed(f, (*slot, "next"), name, where, "next", value, initial, pos)


def _repeats(f: Frame, expr: ir.Expr) -> bool:
    """Whether an attribute is `itertools.repeat(...)`, which hands on one value in every call."""
    made = _made(f, expr)
    return bool(made) and all(isinstance(one, ir.Call) and last_name(one.func) == "repeat" for one in made)


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
    rhs = f.around.rhs
    op = rhs.op if isinstance(rhs, ir.AugAssign) else ""
    base = name.removeprefix("G['").removesuffix("']")
    made_of = [] if rhs is None else list(behind(f, rhs, pos))
    follows = how == "augmented" or any(isinstance(e, (ir.Attr, ir.Name)) and dotted_name(e) == base for e in made_of)
    shown = repr(key.value) if isinstance(key, Const) else "..."
    there = isinstance(key, Const) and _holds_key(initial, key.value)
    held = _held_under(initial, key.value) if isinstance(key, Const) else None
    fails = tensor_guards.fails(f, None, "", held, rhs, pos) if there else ""
    new = _is_dict(initial) and not there and (isinstance(key, Const) or _is_empty_dict(initial))
    op = op or operator_of(made_of) if follows else op
    # `found = d.get(k)`, and stored where it is None: what follows from the old item is what most calls find.
    if follows and not (new and how == "item" and not op and not by_literal(rhs)):
        name = f"{name}[{shown}]"
        _changed(f, (*slot, shown), name, where, "step", value, held, pos, op, joins(made_of), by_literal(rhs), fails)
    elif there and isinstance(key, Const) and _read_before(f, base, key.value, pos):
        _changed(f, (*slot, shown), f"{name}[{shown}]", where, "write", value, held, pos, fails=fails)
    elif new:
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
    conditional = f.around.conditional > 0
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
        modes, f.modes = f.modes, f.modes.silenced
        try:
            owner = f.eval(expr.value)
        finally:
            f.modes = modes
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
            known = f.effects.use is not None and any(one[:2] == slot for one in f.effects.use.reads)
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


def _turns(initial: Value | None) -> bool:
    """Whether a list holds constants that another order distinguishes."""
    items = initial.items if isinstance(initial, Sequence) else None
    if not items or not all(isinstance(one, Const) for one in items):
        return False
    return len({one.key for one in items}) > 1


def _made(f: Frame, expr: ir.Expr) -> list[ir.Expr]:
    """What constructors store under the attribute that an expression names."""
    if not isinstance(expr, ir.Attr):
        return []
    modes, f.modes = f.modes, f.modes.silenced
    try:
        home = home_of(f.eval(expr.value))
    finally:
        f.modes = modes
    return [] if home is None else list(tensor_guards.constructed(home[0], expr.name))


def _constants_of_set(f: Frame, expr: ir.Expr) -> frozenset[object] | None:
    """The members that a set is made with, where all of them are constants as written."""
    made = _made(f, expr)
    if len(made) != 1:
        return None
    items = made[0].items if isinstance(made[0], ir.Display) and made[0].kind == "set" else None
    if items is None or not all(isinstance(one, ir.Const) for one in items):
        return None
    return frozenset(one.value for one in items if isinstance(one, ir.Const))


def _is_full(f: Frame, expr: ir.Expr) -> bool:
    """Whether an attribute is a deque that was made with as many items as it may hold."""
    made = _made(f, expr)
    return bool(made) and all(
        isinstance(one, ir.Call) and last_name(one.func) == "deque" and _fills(one) for one in made
    )


def _fills(call: ir.Call) -> bool:
    most = next(
        (value for name, value in call.keywords if name == "maxlen"), call.args[1] if len(call.args) > 1 else None
    )
    if most is None or not call.args:
        return False
    items = call.args[0]
    length: ir.Expr | int | None = None
    if isinstance(items, ir.Display):
        length = None if any(isinstance(one, ir.Star) for one in items.items) else len(items.items)
    elif isinstance(items, ir.Binary) and items.op == "*" and isinstance(items.left, ir.Display):
        length = items.right if len(items.left.items) == 1 else None
    elif isinstance(items, ir.Comp) and len(items.clauses) == 1:
        source = items.clauses[0].iterable
        ranges = isinstance(source, ir.Call) and last_name(source.func) == "range" and len(source.args) == 1
        length = source.args[0] if ranges and isinstance(source, ir.Call) else None
    if isinstance(length, ir.Const):
        length = length.value if type(length.value) is int else None
    if isinstance(length, int):
        return isinstance(most, ir.Const) and most.value == length
    return length is not None and dotted_name(length) != "" and dotted_name(length) == dotted_name(most)


def _updated(f: Frame, slot: Slot, name: str, where: StateWhere, initial: Value | None, value: Value, pos: int) -> bool:
    """`self.options.update({"scale": 2})`: stores of the keys, where all of them are there before."""
    known = isinstance(initial, Mapping) and isinstance(value, Mapping) and value.exact
    if not known or not isinstance(value, Mapping) or not all(_holds_key(initial, key) for key, _ in value.entries):
        return False
    for key, one in value.entries:
        _item_changed(f, slot, name, where, initial, "item", one, pos, Const(key))
    return True


def _may_hold(initial: Value | None, key: object) -> bool:
    return not isinstance(initial, Mapping) or not initial.exact or initial.held(key) is not None


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
