"""Whether a caller made the tensor that it passes, read off its text where its value is not known.

`bias = bias + mask` before `finite_(bias)`: the callee writes to a tensor of the caller's own, not to an input of the
compiled function. Does not belong here: values that the interpreter has followed to the call.
"""

from __future__ import annotations

from compilelint.interp.core.frame import Frame
from compilelint.interp.core.origin_steps import first
from compilelint.survey.scopes import expressions, own_expressions, statements
from compilelint.syntax import ir
from compilelint.syntax.facts import fact
from compilelint.syntax.walk import dotted_name
from compilelint.values import Origin, OriginKind, Tensor


def made_by_caller(f: Frame, argument: Origin) -> bool:
    """Whether `argument` is a parameter of a called function, and its caller computes what it passes for it."""
    caller = f.context.caller
    if caller is None or f.function is None or not isinstance(caller.where, ir.Module):
        return False
    params = [p.name for p in f.function.node.params if p.name != f.self_name]  # that one stands before the dot
    name = next((one for one in params if argument.what.startswith(f"`{one}`")), "")
    made = fact(caller.where, _made_arguments).get(f.context.call_pos, ()) if name else ()
    return name in made or (bool(name) and params.index(name) in made)


def keeps_its_place(tensor: Tensor) -> bool:
    """Whether the program marks the argument's address as static, so that a CUDA graph reads it where it is."""
    argument = first(tensor.origin, OriginKind.ARGUMENT)
    place = None if argument is None else argument.place
    return place is not None and isinstance(place[0], ir.Module) and place[1] in fact(place[0], static_addresses)


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


def static_addresses(module: ir.Module) -> frozenset[int]:
    """The places of expressions whose value `torch._dynamo.mark_static_address` is called for in the same body."""
    found: set[int] = set()
    bodies: list[ir.Body] = [module.body]
    while bodies:
        bound: dict[str, list[int]] = {}
        marked: set[str] = set()
        for s, _ in statements(bodies.pop()):
            if isinstance(s, (ir.Function, ir.Class)):
                bodies.append(s.body)
            for one in expressions(own_expressions(s)):
                if isinstance(one, ir.Call) and one.args and _marks_static(one):
                    marked.add(dotted_name(one.args[0]))
            if isinstance(s, ir.Assign):
                for name, value in (pair for target in s.targets for pair in _pairs(target, s.value)):
                    bound.setdefault(dotted_name(name), []).append(value.pos)
        found.update(pos for name in marked if name for pos in bound.get(name, ()))
    return frozenset(found)


def _marks_static(call: ir.Call) -> bool:
    return dotted_name(call.func).rpartition(".")[2] == "mark_static_address"


def _pairs(target: ir.Expr, value: ir.Expr) -> list[tuple[ir.Expr, ir.Expr]]:
    """`a, b = x, y` name by name; one pair for every other assignment."""
    if isinstance(target, ir.Display) and isinstance(value, ir.Display) and len(target.items) == len(value.items):
        return list(zip(target.items, value.items, strict=True))
    return [(target, value)]
