"""What a constructor derives from the name of the class: `self.kind = type(self).__name__` and what follows from it.

The constructor of a base runs for every class below it, and is interpreted once for all of them. Where it asks for the
class, the few statements that the attribute depends on are interpreted again for each class, with its name known.
Does not belong here: what a constructor stores whatever the class (`objects`).
"""

from __future__ import annotations

from compilelint.events import Context
from compilelint.interp.core.frame import Frame
from compilelint.interp.core.modes import SILENT
from compilelint.interp.core.state import State
from compilelint.interp.text.usage import expressions_of
from compilelint.project.classes import ClassInfo, FunctionInfo
from compilelint.syntax import ir
from compilelint.syntax.facts import fact
from compilelint.syntax.walk import statements_of
from compilelint.values import ClassRef, Const, Object, Value

CLASS = "__class__"


def stored_by_name(f: Frame, cls: ClassInfo, name: str) -> Value | None:
    """What the constructor stores under an attribute for this very class; None if its name decides nothing there."""
    init = _storing(cls, name)
    if init is None:
        return None
    key = (id(init.node), name)
    known = f.interp.class_slices
    if key not in known:
        known[key] = _slice(init.node, name)
    body = known[key]
    if not body:
        return None
    context = Context(init.module.ir, init.node.qualname, False, "", "class", config=f.context.config)
    inner = Frame(
        f.interp, init.module, context, State({}), init, None, init.owner, depth=f.interp.silent_depth, modes=SILENT
    )
    named = Object(cls, (("__name__", Const(cls.node.name)), ("__qualname__", Const(cls.node.qualname))))
    inner.state = State({init.node.params[0].name: Object(cls, ((CLASS, named),))})
    inner.run(body)
    return inner.effects.writes.get(name)


def class_of(value: Object) -> Value:
    """`type(value)`."""
    return next((held for name, held in value.fields if name == CLASS), ClassRef(value.cls))


def _storing(cls: ClassInfo, name: str) -> FunctionInfo | None:
    """The constructor that stores the attribute itself, by method resolution order."""
    for c in cls.mro:
        init = c.own("__init__") if isinstance(c, ClassInfo) else None
        if init is not None and name in init.node.stores and init.node.params:
            return init
    return None


def _slice(node: ir.Function, name: str) -> ir.Body:
    """The statements that an attribute depends on, in order; none if they do not ask for the class."""
    own = node.params[0].name
    if not fact(node, _asks_at_all):
        return ()
    wanted: set[str] = set()
    kept: list[ir.Stmt] = []
    asks = False
    for s in reversed(node.body):
        targets = [t for one in statements_of((s,)) if isinstance(one, ir.Assign) for t in one.targets]
        binds = {t.id for t in targets if isinstance(t, ir.Name)}
        stores = any(isinstance(t, ir.Attr) and t.name == name and _is(t.value, own) for t in targets)
        if stores or binds & wanted:
            kept.append(s)
            for e in expressions_of((s,)):
                if isinstance(e, ir.Name):
                    wanted.add(e.id)
                asks = asks or _asks_for_class(e, own)
    wanted.discard(own)
    return tuple(reversed(kept)) if asks else ()


def _asks_at_all(node: ir.Function) -> bool:
    own = node.params[0].name
    return any(_asks_for_class(e, own) for e in expressions_of(node.body))


def _asks_for_class(e: ir.Expr, own: str) -> bool:
    if isinstance(e, ir.Attr):
        return e.name == CLASS and _is(e.value, own)
    return isinstance(e, ir.Call) and _is(e.func, "type") and len(e.args) == 1 and _is(e.args[0], own)


def _is(e: ir.Expr, name: str) -> bool:
    return isinstance(e, ir.Name) and e.id == name
