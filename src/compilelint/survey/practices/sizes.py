"""Loops whose sizes change or are unrolled, and batches of one."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from compilelint.survey.practices.practice import Practice
from compilelint.survey.practices.steps import is_without_gradients
from compilelint.survey.practices.written import is_method, loops_of
from compilelint.survey.scopes import Scope, Spot, argument, expressions, own_expressions, statements
from compilelint.syntax import ir
from compilelint.syntax.walk import last_name

_JOINS = frozenset({"torch.cat", "torch.concat", "torch.concatenate", "torch.hstack", "torch.vstack"})


def unrolls(scope: Scope) -> Iterator[Practice]:
    """The loops over `range(x.shape[1])` or the like of a function that compute something by calls in each pass."""
    for s, _ in statements(scope.body) if scope.function is not None else ():
        if isinstance(s, ir.For) and _is_over_size(scope, s) and _calls(s):
            yield Practice("unrolls", scope.site(s.pos).location)


def _is_over_size(scope: Scope, loop: ir.For) -> bool:
    over = loop.iterable
    if isinstance(over, ir.Name) and len(made := scope.assigned(over.id)) == 1:
        over = made[0]
    if not isinstance(over, ir.Call) or last_name(over.func) != "range":
        return False
    named = [scope.assigned(one.id) for one in expressions(over.args) if isinstance(one, ir.Name)]
    bounds = [*over.args, *(made[0] for made in named if len(made) == 1)]
    return any(
        (isinstance(one, ir.Attr) and one.name == "shape") or is_method(one, "size") for one in expressions(bounds)
    )


def _calls(loop: ir.For) -> bool:
    """Whether a loop computes by calls; loops with a backward pass are not compiled."""
    every = [one for s, _ in statements(loop.body) for one in expressions(own_expressions(s))]
    calls = [last_name(one.func) for one in every if isinstance(one, ir.Call)]
    return "backward" not in calls and any(name not in ("append", "print", "range") for name in calls)


def grows(scope: Scope, seen: Sequence[Spot]) -> Iterator[Practice]:
    """Where a loop makes a tensor longer, `x = torch.cat([x, y])`, and calls a function that is not torch's with it."""
    for spot in seen:
        loops = loops_of(spot)
        if not loops or not isinstance(spot.expr, ir.Call) or scope.name(spot.expr.func) not in _JOINS:
            continue
        grown = _grown(spot, seen)
        if grown and _is_called_with(scope, seen, loops[-1], _derived(seen, loops[-1], grown)):
            yield Practice("grows", spot.site().location, grown)


def _grown(spot: Spot, seen: Sequence[Spot]) -> str:
    """The name that a join is stored in, if it is one of the parts and nothing else in the loop is stored in it."""
    s, call = spot.statement, spot.expr
    assert isinstance(call, ir.Call)
    parts = argument(call, 0, "tensors")
    if not isinstance(s, ir.Assign) or s.value is not call or not isinstance(parts, ir.Display):
        return ""
    name = s.targets[0].id if isinstance(s.targets[0], ir.Name) else ""
    loop = loops_of(spot)[-1]
    inside = [one.statement for one in seen if any(block is loop for block in one.blocks)]
    stores = {id(statement) for statement in inside if name in _stored(statement)}
    return name if stores == {id(s)} and any(isinstance(p, ir.Name) and p.id == name for p in parts.items) else ""


def _stored(s: ir.Stmt) -> set[str]:
    """The names that a statement binds as a whole, or as items of a tuple."""
    if not isinstance(s, ir.Assign):
        return set()
    every = [part for one in s.targets for part in (one.items if isinstance(one, ir.Display) else (one,))]
    return {one.id for one in every if isinstance(one, ir.Name)}


def _derived(seen: Sequence[Spot], loop: ir.Stmt, name: str) -> set[str]:
    """The names in a loop that hold a tensor, a part or a copy of it."""
    names = {name}
    for spot in seen:
        s = spot.statement
        if isinstance(s, ir.Assign) and s.value is spot.expr and any(one is loop for one in spot.blocks):
            value = _source(s.value)
            if isinstance(value, ir.Name) and value.id in names:
                names |= {target.id for target in s.targets if isinstance(target, ir.Name)}
    return names


def _source(expr: ir.Expr) -> ir.Expr:
    """What an expression is a part or a copy of."""
    while True:
        if isinstance(expr, ir.Index):
            expr = expr.value
        elif isinstance(expr, ir.Call) and isinstance(expr.func, ir.Attr) and expr.func.name in _COPIES:
            expr = expr.func.value
        else:
            return expr


_COPIES = frozenset({"clone", "contiguous", "detach", "to"})


def _is_called_with(scope: Scope, seen: Sequence[Spot], loop: ir.Stmt, names: set[str]) -> bool:
    """Whether a loop calls something with one of these, whole or in part: no function of torch, no method of it."""
    for spot in seen:
        call = spot.expr
        if not isinstance(call, ir.Call) or not any(one is loop for one in spot.blocks):
            continue
        func = call.func
        if scope.name(func).startswith("torch.") or last_name(func) in _TRIVIAL:
            continue
        if isinstance(func, ir.Attr) and any(isinstance(p, ir.Name) and p.id in names for p in expressions([func])):
            continue
        given = (*call.args, *(value for _, value in call.keywords))
        bare = [one.value if isinstance(one, ir.Index) else one for one in given]
        if any(isinstance(one, ir.Name) and one.id in names for one in bare):
            return True
    return False


_TRIVIAL = frozenset({"len", "print", "range", "append", "list", "str", "isinstance", "extend"})


def singles(scope: Scope, seen: Sequence[Spot], place_of: Callable[[Spot], str]) -> Iterator[Practice]:
    """Where a batch of one is computed again and again without gradients, and read: `net(x.unsqueeze(0)).item()`."""
    if not any(is_method(spot.expr, "item", "cpu", "numpy") for spot in seen):
        return
    for spot in seen:
        call = spot.expr
        if not isinstance(call, ir.Call) or not call.args or not _is_one(call.args[0]):
            continue
        if scope.name(call.func).startswith("torch.") or last_name(call.func) in _TRIVIAL:
            continue
        if is_without_gradients(spot) and (place := place_of(spot)):
            yield Practice("single", spot.site().location, detail=place)


def _is_one(expr: ir.Expr) -> bool:
    """`x.unsqueeze(0)`, `x[None]`."""
    if is_method(expr, "unsqueeze") and isinstance(expr, ir.Call) and expr.args:
        first = expr.args[0]
        return isinstance(first, ir.Const) and first.value == 0 and type(first.value) is int
    return isinstance(expr, ir.Index) and isinstance(expr.index, ir.Const) and expr.index.value is None
