"""Functions that give back the function or class they are given, whatever else they do: registries, docstring makers.

Where nothing is emitted, such a call is worth what it is given, and its body, which may lead through half a library,
need not be run. Does not belong here: what a decorator that wraps returns (`interpreter`).
"""

from __future__ import annotations

from compilelint.interp.core.args import Args
from compilelint.interp.core.frame import Frame
from compilelint.interp.text.usage import expressions_of
from compilelint.project.classes import FunctionInfo, bindings_of
from compilelint.syntax import ir
from compilelint.syntax.walk import statements_of
from compilelint.values import ClassRef, FunctionRef, Value


def given_back(f: Frame, code: FunctionInfo, args: Args) -> Value | None:
    """The function or class that a silent call gives back as it was given; None where the body has to be run."""
    if not f.modes.silent or code.owner is not None or code.node.is_generator or code.node.is_async:
        return None
    known = f.interp.given_back
    index = known.get(id(code.node))
    if index is None:
        index = known[id(code.node)] = f.interp.answer(_position, code)
    value = args.get(index, code.node.params[index].name) if index >= 0 else None
    if isinstance(value, ClassRef) and id(value.cls) in f.interp.reworking:
        return None  # what the body stores on it counts
    return value if isinstance(value, (FunctionRef, ClassRef)) else None


def _position(code: FunctionInfo) -> int:
    """The parameter that every `return` names and that nothing binds again, by position; -1 if there is none."""
    body = code.node.body
    if not body or not isinstance(body[-1], ir.Return):
        return -1
    returned = [s.value for s in statements_of(body) if isinstance(s, ir.Return)]
    names = {value.id if isinstance(value, ir.Name) else "" for value in returned}
    name = names.pop()
    if names or not name or name in bindings_of(body, code.module):
        return -1
    if any(isinstance(e, ir.Walrus) and e.name == name for e in expressions_of(body)):
        return -1
    places = [i for i, p in enumerate(code.node.params) if p.name == name and p.kind in ("positional", "either")]
    return places[0] if places else -1
