"""Which attributes of `self` a method fills, by the text: `self.table["mask"] = m`, `self.seen.append(x)`.

Not in it: attributes that are stored themselves (`ir.Function.stores`), and what is put in (`class_attributes`).
"""

from __future__ import annotations

from compilelint.interp.text.usage import expressions_of
from compilelint.syntax import ir
from compilelint.syntax.facts import fact
from compilelint.syntax.walk import dotted_name, statements_of

# Methods by which a container takes something in.
_TAKING = frozenset({"add", "append", "appendleft", "extend", "insert", "setdefault", "update"})


def fills(node: ir.Function, name: str) -> bool:
    """Whether a method puts something into what `self.name` holds."""
    return name in fact(node, _filled)


def _filled(node: ir.Function) -> frozenset[str]:
    found: set[str] = set()
    for s in statements_of(node.body):
        targets = s.targets if isinstance(s, ir.Assign) else (s.target,) if isinstance(s, ir.AugAssign) else ()
        found.update(dotted_name(t.value) for t in targets if isinstance(t, ir.Index))
    for e in expressions_of(node.body):
        if isinstance(e, ir.Call) and isinstance(e.func, ir.Attr) and e.func.name in _TAKING:
            found.add(dotted_name(e.func.value))
    own = f"{node.params[0].name}." if node.params else ""
    names = [one.removeprefix(own) for one in found if own and one.startswith(own)]
    return frozenset(one for one in names if "." not in one)
