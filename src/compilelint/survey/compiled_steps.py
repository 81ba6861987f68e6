"""Compiled steps of optimizers: whether the learning rate is a number that a schedule changes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from compilelint.events import Around
from compilelint.model import Doubt
from compilelint.survey.compile_uses import is_compile
from compilelint.survey.scopes import Scope, Spot, argument, expressions, own_expressions, statements
from compilelint.syntax import ir
from compilelint.syntax.walk import dotted_name, last_name

_Seen = Mapping[Scope, Sequence[Spot]]


def fed_rates(seen: _Seen) -> Iterator[Around]:
    """The optimizers of one file whose step is compiled while their rate is a number and changes."""
    for scope, spots in seen.items():
        said: set[str] = set()
        for name, at in _stepped(scope, spots):
            made = scope.assigned(name)
            one = made[0] if len(made) == 1 else None
            if name in said or not (isinstance(one, ir.Call) and _is_optimizer(scope, one)):
                continue
            if _rate_is_number(scope, one) and _changes_rate(scope, spots, name):
                said.add(name)
                made_at = scope.module.ir.location(at)
                yield Around(scope.site(one.pos), None, "rate", name, name, made_at, (), Doubt.OTHER_CALLS.cap)


def _stepped(scope: Scope, spots: Sequence[Spot]) -> Iterator[tuple[str, int]]:
    """The names whose `step` is compiled here, by itself or in a function, with the place where it is."""
    for spot in spots:
        call = spot.expr
        if isinstance(call, ir.Call) and is_compile(scope, call):
            target = argument(call, 0, "model")
            if isinstance(target, ir.Attr) and target.name == "step" and isinstance(target.value, ir.Name):
                yield target.value.id, call.pos
            elif isinstance(target, ir.Name):
                found = scope.bindings(target.id) or []
                yield from ((name, call.pos) for one in found if isinstance(one, ir.Function) for name in _steps(one))
    for s, _ in statements(scope.body):
        if isinstance(s, ir.Function):
            for decorator in s.decorators:
                made = decorator.func if isinstance(decorator, ir.Call) else decorator
                if scope.name(made) == "torch.compile":
                    yield from ((name, decorator.pos) for name in _steps(s))


def _steps(function: ir.Function) -> Iterator[str]:
    """The names whose `step` a function calls."""
    for s, _ in statements(function.body):
        for one in expressions(own_expressions(s)):
            if isinstance(one, ir.Call) and last_name(one.func) == "step" and isinstance(one.func, ir.Attr):
                yield dotted_name(one.func.value)


def _is_optimizer(scope: Scope, call: ir.Call) -> bool:
    """Whether a call makes an optimizer of torch."""
    package, _, name = scope.name(call.func).rpartition(".")
    return name[:1].isupper() and package.startswith("torch.optim") and "lr_scheduler" not in package


def _rate_is_number(scope: Scope, call: ir.Call) -> bool:
    """Whether the rate of an optimizer is seen to be a number: a literal, a name for one, or the default."""
    if any(name is None for name, _ in call.keywords) or any(isinstance(one, ir.Star) for one in call.args):
        return False
    rate = argument(call, 1, "lr")
    if isinstance(rate, ir.Name):
        known = scope.assigned(rate.id)
        rate = known[0] if len(known) == 1 else rate
    return rate is None or (isinstance(rate, ir.Const) and isinstance(rate.value, (int, float)))


def _changes_rate(scope: Scope, spots: Sequence[Spot], name: str) -> bool:
    """Whether a schedule is made for an optimizer, or the rate of one of its groups is assigned."""
    for spot in spots:
        one = spot.expr
        if isinstance(one, ir.Call) and scope.name(one.func).startswith("torch.optim.lr_scheduler."):
            first = argument(one, 0, "optimizer")
            if first is not None and dotted_name(first) == name:
                return True
        if isinstance(one, ir.Index) and isinstance(one.index, ir.Const) and one.index.value == "lr":
            s = spot.statement
            if isinstance(s, (ir.Assign, ir.AugAssign)) and _is_target(s, one) and _of_groups(spot, one.value, name):
                return True
    return False


def _is_target(s: ir.Assign | ir.AugAssign, expr: ir.Expr) -> bool:
    """Whether a statement assigns to that very expression."""
    return any(one is expr for one in (s.targets if isinstance(s, ir.Assign) else (s.target,)))


def _of_groups(spot: Spot, group: ir.Expr, name: str) -> bool:
    """Whether an expression is a parameter group of an optimizer: an item of a loop over them, or an index."""
    if isinstance(group, ir.Index):
        return dotted_name(group.value) == f"{name}.param_groups"
    return any(
        isinstance(loop, ir.For)
        and isinstance(group, ir.Name)
        and isinstance(loop.target, ir.Name)
        and loop.target.id == group.id
        and dotted_name(loop.iterable) == f"{name}.param_groups"
        for loop in spot.blocks
    )
