"""Whether a caller made the tensor that it passes, read off its text where its value is not known.

`bias = bias + mask` before `finite_(bias)`: the callee writes to a tensor of the caller's own, not to an input of the
compiled function. Does not belong here: values that the interpreter has followed to the call.
"""

from __future__ import annotations

from compilelint.interp.frame import Frame
from compilelint.survey.scopes import expressions, own_expressions, statements
from compilelint.syntax import ir
from compilelint.values import Origin


def made_by_caller(f: Frame, argument: Origin) -> bool:
    """Whether `argument` is a parameter of a called function, and its caller computes what it passes for it."""
    caller = f.context.caller
    if caller is None or f.function is None or not isinstance(caller.where, ir.Module):
        return False
    params = f.function.node.params
    name = next((p.name for p in params if argument.what.startswith(f"`{p.name}`")), "")
    return bool(name) and _passes_what_it_makes(caller.where, f.context.call_pos, name, [p.name for p in params])


def _passes_what_it_makes(module: ir.Module, call_pos: int, name: str, params: list[str]) -> bool:
    bodies: list[ir.Body] = [module.body]
    while bodies:
        body, bound = bodies.pop(), dict[str, ir.Expr]()
        for s, _ in statements(body):
            if isinstance(s, (ir.Function, ir.Class)):
                bodies.append(s.body)
            for one in expressions(own_expressions(s)):
                if isinstance(one, ir.Call) and one.pos == call_pos:
                    given = _given(one, name, params)
                    return _is_made(bound.get(given.id) if isinstance(given, ir.Name) else given)
            if isinstance(s, ir.Assign):
                bound |= {target.id: s.value for target in s.targets if isinstance(target, ir.Name)}
    return False


def _given(call: ir.Call, name: str, params: list[str]) -> ir.Expr | None:
    for keyword, value in call.keywords:
        if keyword == name:
            return value
    place = params.index(name)
    return call.args[place] if place < len(call.args) else None


def _is_made(expr: ir.Expr | None) -> bool:
    """`a + b`, `-a`: operators give new tensors; of a call it cannot be said."""
    return isinstance(expr, (ir.Binary, ir.Unary, ir.Compare))
