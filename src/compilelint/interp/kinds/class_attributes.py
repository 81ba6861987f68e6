"""What the methods of a class store on `self`, and what its body binds: where attributes get their values from.

A constructor, and every other method that stores the attribute, is interpreted once, silently. Does not belong here:
which of these an attribute means (`objects`).
"""

from __future__ import annotations

from compilelint.events import Context
from compilelint.interp.core.class_members import member_value
from compilelint.interp.core.frame import Frame
from compilelint.interp.core.modes import SILENT
from compilelint.interp.core.state import State
from compilelint.interp.effects import constructor_arguments, handed_fields
from compilelint.interp.kinds import class_decorators
from compilelint.interp.kinds.class_names import stored_by_name
from compilelint.interp.text.filled_contents import fills
from compilelint.model import Doubt
from compilelint.project.classes import CONSTRUCTORS, ClassInfo, FunctionInfo
from compilelint.survey.scopes import statements
from compilelint.syntax import ir
from compilelint.syntax.facts import fact
from compilelint.values import (
    BOTTOM,
    UNKNOWN,
    Const,
    FunctionRef,
    Mapping,
    Object,
    Origin,
    OriginKind,
    Scalar,
    Sequence,
    Source,
    Tensor,
    Union,
    Value,
    arms,
    is_none,
    join_all,
    resumed,
    serial_of,
)

_EMPTY = Mapping((), BOTTOM, True)


def softened(value: Value) -> Value:
    """A number or flag found on a class: code elsewhere may have set another, so only its type is kept."""
    if isinstance(value, Const) and value.value is not None and type(value.value) in (bool, int, float, str):
        # Which entry of a table is meant, and which way a switch stands, follows from texts and flags.
        usual = value if type(value.value) in (bool, str) else None
        return Scalar(type(value.value).__name__, usual=usual)
    if isinstance(value, Union):
        return join_all([softened(a) for a in value.arms])
    return value


def stored_attribute(f: Frame, cls: ClassInfo, name: str) -> Value | None:
    """What methods of the class store under an attribute of `self`; None if none does."""
    cache = f.interp.stored.get(id(cls))
    if cache is None:
        cache = f.interp.stored[id(cls)] = f.interp.table()
    if name in cache:
        return cache[name]
    cache[name] = None  # a method that reads what it stores: nothing is known yet
    found: list[Value] = []
    constructed = False
    for c in cls.mro:
        if not isinstance(c, ClassInfo):
            continue
        init = c.own("__init__") or c.own("__post_init__")
        for put in class_decorators.storing(f.interp, c, name):  # methods that a decorator has put there
            stores = put_stores(f, c, put)
            if name in stores:
                found.append(stores[name])
                constructed = True
        if init is not None and not constructed:
            stores = method_stores(f, c, init)
            if name in stores:
                found.append(stored_by_name(f, cls, name) or _kept(f, c, name, stores[name]))
                constructed = True
        for method in c.stored_in.get(name, ()):
            if method.node.name not in ("__init__", "__post_init__"):
                stores = method_stores(f, c, method)
                found.append(stores.get(name, UNKNOWN))
    handed_on, settled = handed_fields.left(f, cls, name)
    if handed_on is not None:  # it comes after what the class itself stores
        found, constructed = [handed_on], True
    if not any(map(_says_something, found)) and _is_open(f, cls, name):
        by_others, done = handed_fields.by_functions(f, cls, name)
        settled = settled and done
        if by_others is not BOTTOM:
            found = [*(found or [initially(f, cls, name) or BOTTOM]), by_others]
    if not settled or any(method.owner in cls.mro for method in f.interp.method_stack if method.owner is not None):
        del cache[name]  # a method of it is at work, a constructor perhaps: it has not stored everything yet
    if not found:
        if name in cache:
            cache[name] = None  # once more, now that it is settled: what was made for it goes with it
        return None
    # It crosses into the frame from outside, wherever it was computed.
    value = resumed(softened(with_contents(f, cls, name, join_all(found))))
    # Where another method stores it too, it may have been moved there.
    stays = constructed and (len(found) == 1 or all(map(_placed_for_certain, found)))
    if not isinstance(value, Sequence) or not any(name in fact(m.node, _changed_items) for m in cls.methods()):
        value = placed_outside(value, name, OriginKind.HELD, stays=stays)
    if value is BOTTOM:
        value = UNKNOWN
    if name in cache:
        cache[name] = value
    return value


def _says_something(value: Value) -> bool:
    """Whether what a method stores says more than that something is there, or nothing yet."""
    return not all(arm is UNKNOWN or arm is BOTTOM or is_none(arm) or arm == _EMPTY for arm in arms(value))


def _is_open(f: Frame, cls: ClassInfo, name: str) -> bool:
    """Whether the body of the class leaves it open what an attribute holds: no annotation says it, no method is it."""
    found = cls.find(name)
    if found is not None and found[0].own(name) is not None:
        return False
    said = next((c.annotations[name] for c in cls.mro if isinstance(c, ClassInfo) and name in c.annotations), None)
    if said is None:
        return found is None or is_none(member_value(f, found[0], found[1], name)) is True
    return f.interp.annotated(cls.module, said, f.origin("annotation", said.pos)) is UNKNOWN


def with_contents(f: Frame, cls: ClassInfo, name: str, value: Value) -> Value:
    """A container that an attribute holds, with what methods put into it after the constructor."""
    if not any(isinstance(arm, (Mapping, Sequence)) for arm in arms(value)):
        return value
    fillers = [
        (c, method)
        for c in cls.mro
        if isinstance(c, ClassInfo)
        for method in c.methods()
        if method.node.name not in CONSTRUCTORS and fills(method.node, name)
    ]
    if not fillers:
        return value
    cache = f.interp.stored.setdefault(id(cls), {})
    held = cache.get(name)
    cache[name] = value  # the methods find it as the constructor has left it
    left = [method_stores(f, c, method).get(name, BOTTOM) for c, method in fillers]
    cache[name] = held
    return _put_in_later(value, join_all([value, *left]))


def _put_in_later(before: Value, after: Value) -> Value:
    """What a container holds that was filled later: no more than likely, since the methods need not have run."""
    found: list[Value] = []
    for arm in arms(after):
        if isinstance(arm, Mapping):
            maybe = tuple([(key, _doubted(softened(one))) for key, one in arm.maybe])
            arm = Mapping(arm.entries, _doubted(softened(arm.element)), arm.exact, maybe)
        elif isinstance(arm, Sequence) and arm.items is None and arm not in arms(before):
            arm = Sequence(arm.kind, None, _doubted(arm.element))
        found.append(arm)
    return join_all(found)


def _doubted(value: Value) -> Value:
    sure = Doubt.PUT_IN_ELSEWHERE
    return join_all([a.but(confidence=sure.lower(a.confidence)) if isinstance(a, Tensor) else a for a in arms(value)])


def _changed_items(method: ir.Function) -> frozenset[str]:
    """The attributes whose items a method stores, a constructor apart: other code may have put tensors there."""
    found: set[str] = set()
    for s, _ in statements(method.body) if method.name != "__init__" else ():
        targets = s.targets if isinstance(s, ir.Assign) else ()
        found.update(t.value.name for t in targets if isinstance(t, ir.Index) and isinstance(t.value, ir.Attr))
    return frozenset(found)


def _kept(f: Frame, cls: ClassInfo, name: str, value: Value) -> Value:
    """What a constructor stores; where that is an argument, what the program passes."""
    return constructor_arguments.given(f, cls, name) if value is UNKNOWN else value


def owned_parameter(f: Frame, name: str, pos: int) -> Tensor:
    """A parameter that a library layer holds."""
    origin = f.origin(f"parameter `{name}`", pos, kind=OriginKind.OWNED)
    return Tensor("float", None, Source.PARAMETER, origin=origin)


def placed_outside(value: Value, what: str, kind: OriginKind, stays: bool = True) -> Value:
    """Name what holds a tensor outside the region whose device is known, if it `stays` when the module is moved."""
    if isinstance(value, Tensor) and value.device and value.origin is not None:
        if not stays:
            return value.but(device="")
        return value.but(origin=Origin(what, value.origin.place, value.origin, kind))
    if isinstance(value, Union):
        return join_all([placed_outside(arm, what, kind, stays) for arm in value.arms])
    if isinstance(value, Sequence) and value.kind in ("list", "tuple"):  # modules do not move what lists of theirs hold
        items = None if value.items is None else tuple([placed_outside(v, what, kind, stays) for v in value.items])
        return Sequence(value.kind, items, placed_outside(value.element, what, kind, stays))
    return value


def method_stores(f: Frame, cls: ClassInfo, method: FunctionInfo) -> dict[str, Value]:
    """What one method stores on `self`, by silent interpretation; once a method."""
    interp = f.interp
    known = interp.method_writes.get(id(method.node))
    if known is not None:
        return known
    interp.method_writes[id(method.node)] = {}
    if interp.recorder is not None:
        interp.recorder.learnt_from(method.node)
    if len(interp.method_stack) > 12:
        del interp.method_writes[id(method.node)]
        return {}
    interp.method_stack.append(method)
    try:
        context = Context(cls.module.ir, method.node.qualname, False, "", "class", config=f.context.config)
        closure = cls.closure if isinstance(cls.closure, Frame) else None
        inner = Frame(
            interp, cls.module, context, State({}), method, closure, cls, depth=interp.silent_depth, modes=SILENT
        )
        inner.state = State(interp.parameters(inner, method, Object(cls)))
        inner.run(method.node.body)
        writes = inner.effects.writes
        held = _held_at_the_end(inner)
        if method.node.name == "__init__":
            writes.update(held)
        else:
            # Other values on the way may be read by what the method calls, but no later call meets where they lay.
            writes.update({name: _placed_like(value, held.get(name)) for name, value in writes.items()})
    finally:
        interp.method_stack.pop()
    interp.method_writes[id(method.node)] = writes
    return writes


def put_stores(f: Frame, cls: ClassInfo, put: FunctionRef) -> dict[str, Value]:
    """What a function that a decorator has put on a class stores on `self` itself, by silent interpretation."""
    code = put.code
    assert isinstance(code, FunctionInfo)
    key = (id(code.node), serial_of(put.closure))
    interp = f.interp
    known = interp.method_writes.get(key)
    if known is not None:
        return known
    interp.method_writes[key] = {}
    context = Context(code.module.ir, code.node.qualname, False, "", "class", config=f.context.config)
    closure = put.closure if isinstance(put.closure, Frame) else None
    inner = Frame(interp, code.module, context, State({}), code, closure, cls, depth=interp.silent_depth, modes=SILENT)
    inner.self_name = code.node.params[0].name
    names = interp.parameters(inner, code, None)
    replaced = cls.own(code.node.name)
    if replaced is not None:  # it takes what the method takes in whose place it stands
        said = interp.parameters(inner, replaced, None)
        names |= {name: said[name] for name, value in names.items() if value is UNKNOWN and name in said}
        for name in [name for name, value in names.items() if value is UNKNOWN and name != inner.self_name]:
            promise = constructor_arguments.said_of(cls.module.ir, cls.node, name)
            if promise is not None:
                names[name] = interp.annotated(cls.module, promise, inner.origin(f"`{name}`", promise.pos))
    inner.state = State({**names, inner.self_name: Object(cls)})
    inner.run(code.node.body)
    interp.method_writes[key] = inner.effects.writes
    return inner.effects.writes


def _held_at_the_end(frame: Frame) -> dict[str, Value]:
    """What attributes hold when a method is done, whatever they held on the way."""
    if frame.state is None:
        return {}
    prefix = f"{frame.self_name}."
    named = {path[len(prefix) :]: value for path, value in frame.state.paths.items() if path.startswith(prefix)}
    return {name: value for name, value in named.items() if name in frame.effects.writes}


def _placed_for_certain(stored: Value) -> bool:
    """Whether what a method stores is a tensor of a device that is known, or nothing."""
    return all(is_none(arm) or (isinstance(arm, Tensor) and arm.device != "") for arm in arms(stored))


def _placed_like(value: Value, held: Value | None) -> Value:
    """A stored value, on the device of what the attribute holds at last."""
    if isinstance(value, Tensor) and isinstance(held, Tensor) and held.device != value.device:
        return value.but(device=held.device)
    return value


def initially(f: Frame, cls: ClassInfo, name: str) -> Value | None:
    """What an attribute holds when an object is made: by its constructor, else by its class; None if nothing is there.

    Unlike `stored_attribute`, a constant stays one: this is the value that the first call meets.
    """
    for c in cls.mro:
        if isinstance(c, ClassInfo):
            init = c.own("__init__") or c.own("__post_init__")
            if init is not None:
                stores = method_stores(f, c, init)
                if name in stores:
                    stored = stores[name]
                    return constructor_arguments.number_given(c, name) if stored is UNKNOWN else stored
    found = cls.find(name)
    if found is not None and found[0].own(name) is None:
        return member_value(f, found[0], found[1][:1], name)
    return None
