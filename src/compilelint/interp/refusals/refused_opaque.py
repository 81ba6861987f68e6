"""Objects of classes that are registered as opaque: Dynamo takes them as a whole, and a region reads what is named.

`torch._library.opaque_object.register_opaque_type(C, typ="reference", members={...})` says it beside the class.
Measured on torch 2.13 and 2.15, an object that comes from outside: a member that `members` does not name, a method of
a class with `__getattr__`, and a method that gives another such object stop the compilation with an error. Of the class
itself, a descriptor written in Python and a missing name that the program catches end the graph.
"""

from __future__ import annotations

from typing import Final

from compilelint.interp.core.class_members import member_value
from compilelint.interp.core.frame import Frame
from compilelint.interp.core.perform import Operation, Use, rule
from compilelint.interp.core.refusals import refused
from compilelint.interp.refusals.caught_errors import is_caught
from compilelint.project.classes import Assigned, ClassInfo
from compilelint.syntax import ir
from compilelint.syntax.facts import fact, of_plain
from compilelint.syntax.walk import last_name, statements_of
from compilelint.values import ClassRef, External, Object, Value

_REGISTER: Final = "torch._library.opaque_object.register_opaque_type"
_UNNAMED: Final = "GB2078"  # "Attempted to access unregistered member on an OpaqueObject"
_ANSWERS: Final = "GB8656"  # "Opaque object with custom __getattr__ not supported"
_ANOTHER: Final = "GB8843"  # "... member with method-type USE_REAL returned a reference-type opaque object"
_MISSING: Final = "GB7685"  # "Attribute not found on opaque class"
_DESCRIPTOR: Final = "GB9567"  # "Unsupported descriptor on opaque class"


@rule(Operation.GET_ATTRIBUTE, Object)
def member_read(use: Use) -> Value | None:
    """A member of an object of such a class; what is named is read without its code being traced."""
    f, name, (obj,), pos = use.frame, use.name, use.operands, use.pos
    cls = obj.cls if isinstance(obj, Object) else None
    if f.modes.silent or not isinstance(obj, Object) or not isinstance(cls, ClassInfo):
        return None
    if obj.inside or name.startswith("__"):
        return None
    members = _members_of(f, cls)
    if members is None or (cls.find(name) is None and name not in cls.stored_in):
        return None
    method = cls.method(name)
    if method is not None and cls.method("__getattr__") is not None:
        key = _ANSWERS
    elif name not in members:
        key = _UNNAMED
    elif method is not None and any(_gives_opaque(f, cls, s) for s in statements_of(method.node.body)):
        key = _ANOTHER
    else:
        return None
    return refused(f, key, f"{cls.node.name}.{name}", (obj,), pos)


def _gives_opaque(f: Frame, cls: ClassInfo, s: ir.Stmt) -> bool:
    """Whether a statement returns what the class, or another one that is opaque, has just made."""
    value = s.value if isinstance(s, ir.Return) else None
    if not isinstance(value, ir.Call):
        return False
    made = f.interp.program.resolve(cls.module, value.func)
    return isinstance(made, ClassRef) and isinstance(made.cls, ClassInfo) and _members_of(f, made.cls) is not None


@rule(Operation.GET_ATTRIBUTE, ClassRef)
def class_read(use: Use) -> Value | None:
    """An attribute of such a class."""
    f, name, (ref,), pos = use.frame, use.name, use.operands, use.pos
    cls = ref.cls if isinstance(ref, ClassRef) else None
    if f.modes.silent or not isinstance(cls, ClassInfo) or name.startswith("__") or _members_of(f, cls) is None:
        return None
    found = cls.find(name)
    if found is None:
        return refused(f, _MISSING, f"{cls.node.name}.{name}", (ref,), pos) if is_caught(f) else None
    if not isinstance(found[1][-1], Assigned):
        return None
    value = member_value(f, found[0], found[1], name)
    own = value.cls if isinstance(value, Object) else None
    if not isinstance(own, ClassInfo) or own.method("__get__") is None:
        return None
    return refused(f, _DESCRIPTOR, f"{cls.node.name}.{name}", (ref,), pos)


def _members_of(f: Frame, cls: ClassInfo) -> frozenset[str] | None:
    """The members that the class is registered with as one to be taken by reference; None if it is not."""
    call = fact(cls.module.ir, _registered).get(cls.node.name)
    known = None if call is None else f.interp.program.resolve(cls.module, call.func)
    if call is None or not (isinstance(known, External) and known.name == _REGISTER):
        return None
    given = dict(call.keywords)
    typ, members = given.get("typ"), given.get("members")
    if not isinstance(typ, ir.Const) or typ.value != "reference":
        return None
    if members is None:
        return frozenset()
    if not isinstance(members, ir.DictDisplay):
        return None
    return frozenset(str(one.value) for one in members.keys if isinstance(one, ir.Const))


@of_plain
def _registered(module: ir.Module) -> dict[str, ir.Call]:
    """By name of the class, the calls that register it."""
    found: dict[str, ir.Call] = {}
    for s in statements_of(module.body):
        call = s.value if isinstance(s, ir.ExprStmt) else None
        if isinstance(call, ir.Call) and last_name(call.func) == "register_opaque_type" and call.args:
            first = call.args[0]
            if isinstance(first, ir.Name):
                found[first.id] = call
    return found
