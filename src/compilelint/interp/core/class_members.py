"""What the body of a class binds."""

from __future__ import annotations

from compilelint.interp.core.frame import Frame
from compilelint.project.classes import Binding, ClassInfo
from compilelint.values import UNKNOWN, FunctionRef, Value, join_all


def member_value(f: Frame, owner: ClassInfo, bindings: list[Binding], name: str) -> Value:
    """What the body of a class binds a name to, joined over the places that do."""
    found = [f.interp.program.bound(owner.module, b, name, owner) for b in bindings]
    if owner.closure is not None:
        found = [FunctionRef(v.code, v.receiver, owner.closure) if isinstance(v, FunctionRef) else v for v in found]
    return join_all(found) if found else UNKNOWN
