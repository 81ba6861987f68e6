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
from compilelint.interp.core.refusals import refused
from compilelint.interp.refusals.caught_errors import is_caught
from compilelint.project.classes import Assigned, ClassInfo
from compilelint.syntax import ir
from compilelint.syntax.facts import fact, of_plain
from compilelint.syntax.walk import last_name, statements_of
from compilelint.values import ClassRef, External, Object

_REGISTER: Final = "torch._library.opaque_object.register_opaque_type"
_UNNAMED: Final = "GB2078"  # "Attempted to access unregistered member on an OpaqueObject"
_ANSWERS: Final = "GB8656"  # "Opaque object with custom __getattr__ not supported"
_ANOTHER: Final = "GB8843"  # "... member with method-type USE_REAL returned a reference-type opaque object"
_MISSING: Final = "GB7685"  # "Attribute not found on opaque class"
_DESCRIPTOR: Final = "GB9567"  # "Unsupported descriptor on opaque class"


def member_read(f: Frame, obj: Object, cls: ClassInfo, name: str, pos: int) -> bool:
    """Whether reading `obj.name` is refused; what is named is read without its code being traced."""
    if f.modes.silent or obj.inside or name.startswith("__"):
        return False
    members = _members_of(f, cls)
    if members is None or (cls.find(name) is None and name not in cls.stored_in):
        return False
    method = cls.method(name)
    if method is not None and cls.method("__getattr__") is not None:
        gb_id = _ANSWERS
    elif name not in members:
        gb_id = _UNNAMED
    elif method is not None and any(_gives_opaque(f, cls, s) for s in statements_of(method.node.body)):
        gb_id = _ANOTHER
    else:
        return False
    refused(f, gb_id, f"{cls.node.name}.{name}", (obj,), pos)
    return True


def _gives_opaque(f: Frame, cls: ClassInfo, s: ir.Stmt) -> bool:
    """Whether a statement returns what the class, or another one that is opaque, has just made."""
    value = s.value if isinstance(s, ir.Return) else None
    if not isinstance(value, ir.Call):
        return False
    made = f.interp.program.resolve(cls.module, value.func)
    return isinstance(made, ClassRef) and isinstance(made.cls, ClassInfo) and _members_of(f, made.cls) is not None


def class_read(f: Frame, cls: ClassInfo, name: str, pos: int) -> bool:
    """Whether reading `Class.name` is refused."""
    if f.modes.silent or name.startswith("__") or _members_of(f, cls) is None:
        return False
    found = cls.find(name)
    if found is None:
        if is_caught(f):
            refused(f, _MISSING, f"{cls.node.name}.{name}", (ClassRef(cls),), pos)
        return is_caught(f)
    if not isinstance(found[1][-1], Assigned):
        return False
    value = member_value(f, found[0], found[1], name)
    own = value.cls if isinstance(value, Object) else None
    if not isinstance(own, ClassInfo) or own.method("__get__") is None:
        return False
    refused(f, _DESCRIPTOR, f"{cls.node.name}.{name}", (ClassRef(cls),), pos)
    return True


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
