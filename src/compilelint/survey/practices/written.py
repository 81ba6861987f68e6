"""How calls and the blocks around them are written: what the questions about practices share."""

from __future__ import annotations

from compilelint.project.classes import Assigned
from compilelint.survey.scopes import Scope, Spot, expressions
from compilelint.syntax import ir
from compilelint.syntax.walk import dotted_name

LOOPS = (ir.For, ir.While)
_MOST_NAMES = 12  # that are followed to see what a name holds


def is_method(expr: ir.Expr, *names: str) -> bool:
    """Whether an expression calls a method of one of these names."""
    return isinstance(expr, ir.Call) and isinstance(expr.func, ir.Attr) and expr.func.name in names


def func_of(spot: Spot) -> ir.Expr:
    """What a call calls."""
    assert isinstance(spot.expr, ir.Call)
    return spot.expr.func


def receiver(expr: ir.Expr) -> str:
    """`a.b` of `a.b.method(...)`."""
    return dotted_name(expr.func.value) if isinstance(expr, ir.Call) and isinstance(expr.func, ir.Attr) else ""


def bound_to(spot: Spot) -> set[str]:
    """The names that the statement of an expression gives it."""
    s = spot.statement
    if isinstance(s, ir.Assign) and s.value is spot.expr:
        return {dotted_name(target) for target in s.targets} - {""}
    return set()


def loops_of(spot: Spot) -> list[ir.Stmt]:
    """The loops that run an expression again and again, outermost first; a `while` runs its own test."""
    around: list[ir.Stmt] = [block for block in spot.blocks if isinstance(block, LOOPS)]
    return [*around, spot.statement] if isinstance(spot.statement, ir.While) else around


def at_times(spot: Spot) -> list[ir.Stmt]:
    """The tests around an expression that hold in some passes alone: those with a remainder in them."""
    return [
        block
        for block in spot.blocks
        if isinstance(block, ir.If)
        and any(isinstance(one, ir.Binary) and one.op == "%" for one in expressions([test for test, _ in block.arms]))
    ]


def names_in(target: ir.Expr) -> set[str]:
    """The names that a target binds."""
    return {one.id for one in expressions([target]) if isinstance(one, ir.Name)}


def shows_tensor(scope: Scope, expr: ir.Expr) -> bool:
    """Whether the source shows that torch computes a value: a call of torch in it, or in what its names hold."""
    waiting, seen = [expr], set[str]()
    while waiting:
        for one in expressions([waiting.pop()]):
            if isinstance(one, ir.Attr) and scope.name(one).startswith("torch."):
                return True
            if not isinstance(one, ir.Name) or one.id in seen or len(seen) >= _MOST_NAMES:
                continue
            seen.add(one.id)
            if _is_declared(scope, one.id):
                return True
            held = scope.bindings(one.id) or ()
            waiting += [b.expr for b in held if isinstance(b, Assigned) and b.expr is not None]
    return False


def _is_declared(scope: Scope, name: str) -> bool:
    """Whether a parameter is declared to be a tensor."""
    params = () if scope.function is None else scope.function.node.params
    return any(
        p.name == name
        and p.annotation is not None
        and any(scope.name(part) == "torch.Tensor" for part in expressions([p.annotation]))
        for p in params
    )
