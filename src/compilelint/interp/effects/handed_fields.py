"""Attributes that other code than the methods of a class stores on its objects.

A constructor, on what it holds: `self.config._way = self._checked(...)`.

A base class that settles what a configuration left open writes it there, and other classes read it through a name of
their own. Nothing in the class of the configuration says what they read. Where a constructor of the program stores an
attribute on an object of that class, or of one that it descends from, this is what the attribute holds.

A function, on what it is given or makes: `state.best = loss.min()`. Nothing says that it has run before, so it counts
where the class itself says nothing of the attribute, and makes a claim likely at most. Does not belong here: what the
methods of a class store on `self` (`class_attributes`).
"""

from __future__ import annotations

from compilelint.events import Context
from compilelint.interp.core.frame import Frame
from compilelint.interp.core.handed_stores import Store, StoringFunction
from compilelint.interp.core.modes import SILENT
from compilelint.interp.core.state import State
from compilelint.model import Doubt
from compilelint.project.classes import ClassInfo, FunctionInfo
from compilelint.syntax import ir
from compilelint.values import BOTTOM, Const, Object, Scalar, Tensor, Value, arms, join, join_all, type_name

_MOST = 8  # functions that are run for one attribute
_DEEPEST = 12  # methods and functions that are run for each other


def left(f: Frame, cls: ClassInfo, name: str) -> tuple[Value | None, bool]:
    """What constructors leave in an attribute of the objects of a class that they hold, and whether that is settled."""
    found: Value | None = None
    settled = True
    fields = f.interp.handed_fields
    for store in fields.of(name):
        if id(store.target) in fields.at_work:  # the constructor reads what it is about to store
            settled = False
            continue
        fields.at_work.add(id(store.target))
        try:
            value = _value(f, store, cls)
        finally:
            fields.at_work.discard(id(store.target))
        if value is not None:
            found = value if found is None else join(found, value)
    return found, settled


def _value(f: Frame, store: Store, cls: ClassInfo) -> Value | None:
    """What is stored, on an object of that class; None where it is stored on others.

    The constructor is that of the class which says that it holds such an object: it may have methods of its own.
    """
    interp, module = f.interp, store.module
    if interp.recorder is not None:
        interp.recorder.learnt_from(store.init)
    owner = interp.program.class_info(module, store.cls)
    code: FunctionInfo = module.function(store.init, owner)
    context = Context(module.ir, store.init.qualname, False, "", "class", config=f.context.config)
    frame = Frame(interp, module, context, State({}), code, None, owner, depth=interp.silent_depth, modes=SILENT)
    frame.state = State(interp.parameters(frame, code, Object(owner)))
    held = frame.eval(store.target.value)
    if not isinstance(held, Object) or held.cls not in cls.mro:
        return None
    frame.state.names[frame.self_name] = Object(_holder(f, store, owner, cls))
    return frame.eval(store.value)


def _holder(f: Frame, store: Store, owner: ClassInfo, held: ClassInfo) -> ClassInfo:
    """The class that descends from the constructor's own and is annotated to hold just this class of objects."""
    attribute = store.target.value
    assert isinstance(attribute, ir.Attr)
    for one in f.interp.handed_fields.annotating(attribute.name):
        if owner in one.mro:
            said = f.interp.annotated(
                one.module, one.annotations[attribute.name], f.origin("annotation", store.target.pos)
            )
            if isinstance(said, Object) and said.cls is held:
                return one
    return owner


def by_functions(f: Frame, cls: ClassInfo, name: str) -> tuple[Value, bool]:
    """What functions store in an attribute of objects of a class, and whether that is settled."""
    found: Value = BOTTOM
    settled = True
    for one in f.interp.handed_fields.functions(name)[:_MOST]:
        stores = _handed(f, one)
        settled = settled and stores is not None
        for owner, stored, value in stores or ():
            if stored == name and any(isinstance(arm, Object) and arm.cls in cls.mro for arm in arms(owner)):
                found = join(found, value)
    return join_all([_unsure(arm) for arm in arms(found)]), settled


def _unsure(value: Value) -> Value:
    """What a function may have stored; of a number or text its type, since another function may store another."""
    if isinstance(value, Tensor):
        return value.but(confidence=Doubt.STORED_ELSEWHERE.lower(value.confidence))
    if isinstance(value, (Const, Scalar)) and not (isinstance(value, Const) and value.value is None):
        return Scalar(type_name(value))
    return value


def _handed(f: Frame, one: StoringFunction) -> list[tuple[Value, str, Value]] | None:
    """What a function stores on other objects than `self`, by silent interpretation; once, and None meanwhile."""
    interp, module = f.interp, one.module
    known = interp.handed_fields.left_by
    if id(one.node) in known or len(interp.method_stack) > _DEEPEST:
        return known.get(id(one.node))
    known[id(one.node)] = None
    if interp.recorder is not None:
        interp.recorder.learnt_from(one.node)
    owner = None if one.cls is None else interp.program.class_info(module, one.cls)
    code = module.function(one.node, owner)
    context = Context(module.ir, one.node.qualname, False, "", "class", config=f.context.config)
    interp.method_stack.append(code)
    try:
        frame = Frame(interp, module, context, State({}), code, None, owner, depth=interp.silent_depth, modes=SILENT)
        stores: list[tuple[Value, str, Value]] = []
        frame.effects.handed = stores
        frame.state = State(interp.parameters(frame, code, None if owner is None else Object(owner)))
        frame.run(one.node.body)
    finally:
        interp.method_stack.pop()
    known[id(one.node)] = stores
    return stores
