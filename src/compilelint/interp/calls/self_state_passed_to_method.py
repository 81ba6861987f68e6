"""What a method of an object finds on it that the method before stored: `self.prepare(x)`, then `self.apply(x)`.

What was stored in the region, where it is called next, is known as exactly as a local variable. It goes into a call
like an argument, under a dotted name, where the callee reads it. Does not belong here: what any call may have stored
(`stored`), and what a call leaves in its caller (`calls`).
"""

from __future__ import annotations

from compilelint.interp.core.frame import Frame
from compilelint.interp.text.usage import expressions_of
from compilelint.project.classes import FunctionInfo
from compilelint.syntax import ir
from compilelint.syntax.facts import fact
from compilelint.values import Object, Value, unsized


def carried(f: Frame, inner: Frame, code: FunctionInfo, receiver: Value | None) -> dict[str, Value]:
    """What `f` has stored on its own object and the callee, a method of the same object, reads; by dotted name."""
    if f.modes.silent or f.state is None or not f.self_name or not inner.self_name:
        return {}
    if not isinstance(receiver, Object) or f.state.names.get(f.self_name) is not receiver:
        return {}  # another object, of the same class perhaps
    found: dict[str, Value] = {}
    for name in sorted((f.effects.writes.keys() | f.carried) & fact(code.node, _read_of_self)):
        value = f.state.paths.get(f"{f.self_name}.{name}")
        if value is not None:
            found[f"{inner.self_name}.{name}"] = unsized(value)
    inner.carried = frozenset(path.partition(".")[2] for path in found)
    return found


def _read_of_self(node: ir.Function) -> frozenset[str]:
    """The attributes of its first parameter that a function reads."""
    if not node.params:
        return frozenset()
    own = node.params[0].name
    return frozenset(
        e.name
        for e in expressions_of(node.body)
        if isinstance(e, ir.Attr) and isinstance(e.value, ir.Name) and e.value.id == own
    )
