"""`self.__dict__["name"]` and `vars(self)["name"]`: an attribute of an object, reached past its class.

Measured on 2.13 and 2.15: Dynamo reads, guards and stores it as it does the attribute itself.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from compilelint.interp.effects import attribute_writes
from compilelint.syntax import ir
from compilelint.values import Const, Object, Value, join

if TYPE_CHECKING:
    from compilelint.interp.core.frame import Frame


def holder(n: ir.Expr) -> ir.Expr | None:
    """The object whose namespace an expression is; None for any other expression."""
    if isinstance(n, ir.Attr) and n.name == "__dict__":
        return n.value
    if isinstance(n, ir.Call) and isinstance(n.func, ir.Name) and n.func.id == "vars" and len(n.args) == 1:
        return n.args[0]
    return None


def read(f: Frame, n: ir.Index) -> Value | None:
    """The attribute that a subscript of a namespace reads; None for any other subscript."""
    of = holder(n.value)
    if of is None or not isinstance(n.index, ir.Const) or not isinstance(n.index.value, str):
        return None
    owner = f.eval(of)
    return f.interp.attribute(f, owner, n.index.value, n.pos) if isinstance(owner, Object) else None


def stored(f: Frame, target: ir.Index, value: Value, how: str) -> bool:
    """Whether an item store is one of an attribute; it is recorded as such."""
    of = holder(target.value)
    if of is None or f.state is None:
        return False
    owner, name = f.eval(of), f.eval(target.index)
    if not isinstance(owner, Object) or not isinstance(name, Const) or not isinstance(name.value, str):
        return False
    attribute_writes.stored(f, owner, name.value, value, target.pos, how)
    if isinstance(of, ir.Name) and of.id == f.self_name:
        old = f.effects.writes.get(name.value)
        f.effects.writes[name.value] = value if old is None else join(old, value)
        f.state.paths[f"{of.id}.{name.value}"] = value
    return True
