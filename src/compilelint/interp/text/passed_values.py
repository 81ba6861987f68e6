"""Whether a caller made the tensor that it passes, read off its text where its value is not known.

`bias = bias + mask` before `finite_(bias)`: the callee writes to a tensor of the caller's own, not to an input of the
compiled function. Does not belong here: values that the interpreter has followed to the call.
"""

from __future__ import annotations

from compilelint.interp.core.frame import Frame
from compilelint.survey.scopes import expressions, own_expressions, statements
from compilelint.syntax import ir
from compilelint.syntax.facts import fact
from compilelint.values import Origin


def made_by_caller(f: Frame, argument: Origin) -> bool:
    """Whether `argument` is a parameter of a called function, and its caller computes what it passes for it."""
    caller = f.context.caller
    if caller is None or f.function is None or not isinstance(caller.where, ir.Module):
        return False
    params = [p.name for p in f.function.node.params if p.name != f.self_name]  # that one stands before the dot
    name = next((one for one in params if argument.what.startswith(f"`{one}`")), "")
    made = fact(caller.where, _made_arguments).get(f.context.call_pos, ()) if name else ()
    return name in made or (bool(name) and params.index(name) in made)


def _made_arguments(module: ir.Module) -> dict[int, frozenset[int | str | None]]:
    """By the place of a call, the arguments that its caller computes: by number and by keyword, read once a file."""
    found: dict[int, frozenset[int | str | None]] = {}
    bodies: list[ir.Body] = [module.body]
    while bodies:
        bound: dict[str, ir.Expr] = {}
        for s, _ in statements(bodies.pop()):
            if isinstance(s, (ir.Function, ir.Class)):
                bodies.append(s.body)
            for one in expressions(own_expressions(s)):
                if isinstance(one, ir.Call):
                    given = (*enumerate(one.args), *one.keywords)
                    made = {key for key, e in given if _is_made(bound.get(e.id) if isinstance(e, ir.Name) else e)}
                    if made:
                        found[one.pos] = frozenset(made)
            if isinstance(s, ir.Assign):
                bound |= {target.id: s.value for target in s.targets if isinstance(target, ir.Name)}
    return found


def _is_made(expr: ir.Expr | None) -> bool:
    """`a + b`, `-a`: operators give new tensors; of a call it cannot be said."""
    return isinstance(expr, (ir.Binary, ir.Unary, ir.Compare))
