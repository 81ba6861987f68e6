"""Attributes that a constructor stores on an object that it holds: `self.config._way = self._checked(...)`.

A base class that settles what a configuration left open writes it there, and other classes read it through a name of
their own. Nothing in the class of the configuration says what they read. Where a constructor of the program stores an
attribute on an object of that class, or of one that it descends from, this is what the attribute holds. Does not
belong here: what the methods of a class store on `self` (`stored`).
"""

from __future__ import annotations

from compilelint.events import Context
from compilelint.interp.core.frame import Frame
from compilelint.interp.core.handed_stores import Store
from compilelint.interp.core.modes import SILENT
from compilelint.interp.core.state import State
from compilelint.project.classes import ClassInfo, FunctionInfo
from compilelint.syntax import ir
from compilelint.values import Object, Value, join


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
