"""Compiled steps of optimizers: whether the learning rate is a number that a schedule changes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TypeAlias

from compilelint.events import Around
from compilelint.model import Doubt, Location
from compilelint.survey.compile_forms import compiled_by
from compilelint.survey.compiled_objects import Bound, Decorated, Seen, function_of, passed_to, stored
from compilelint.survey.scopes import Scope, Spot, argument, expressions, own_expressions, statements
from compilelint.syntax import ir
from compilelint.syntax.walk import dotted_name, last_name


def fed_rates(compiled: Iterable[Bound | Decorated], seen: Seen) -> Iterator[Around]:
    """The optimizers of one file whose step is compiled while their rate is a number and changes."""
    said: set[int] = set()
    for scope, name, at in (*_stepped(seen), *_in_functions(compiled, seen)):
        owner, one = stored(name, scope, seen) or (scope, None)
        if id(one) in said or not (isinstance(one, ir.Call) and _is_optimizer(owner, one)):
            continue
        if _rate_is_number(owner, one) and _changes_rate(_reach(owner, scope, name, seen), name):
            said.add(id(one))
            yield Around(owner.site(one.pos), None, "rate", name, name, at, (), Doubt.OTHER_CALLS.cap)


def _reach(owner: Scope, scope: Scope, name: str, seen: Seen) -> list[Spot]:
    """Where the name of an optimizer means it: one scope, or of an attribute all methods of the class."""
    if "." not in name:
        return list(seen[scope])
    return [spot for one in seen if one.owner is owner.owner and one.function is not None for spot in seen[one]]


_Stepped: TypeAlias = tuple[Scope, str, Location]


def _stepped(seen: Seen) -> Iterator[_Stepped]:
    """The names whose `step` is compiled by itself, with the scope and the place where it is."""
    for scope, spots in seen.items():
        for spot in spots:
            whole = compiled_by(scope, spot.expr) if isinstance(spot.expr, ir.Call) else None
            target = None if whole is None else argument(whole, 0, "model")
            if target is None:
                continue
            at = scope.module.ir.location(spot.expr.pos)
            function = function_of(scope, target)
            if function is not None:
                yield from ((scope, name, at) for name in _steps(function) if not _is_parameter(function, name))
            elif isinstance(target, ir.Attr) and target.name == "step":
                yield scope, dotted_name(target.value), at


def _in_functions(compiled: Iterable[Bound | Decorated], seen: Seen) -> Iterator[_Stepped]:
    """The names whose `step` a compiled function calls: its own names, and what its callers pass for parameters."""
    for one in compiled:
        function = one.function
        names = [] if function is None else list(_steps(function))
        if function is None or not names:
            continue
        if isinstance(one, Decorated):
            yield from ((one.scope, name, one.made) for name in names if not _is_parameter(function, name))
        for scope, spots in seen.items() if any(_is_parameter(function, name) for name in names) else ():
            for spot in spots:
                call = spot.expr
                if isinstance(call, ir.Call) and one.means(scope, call.func) is not None:
                    for param, value in passed_to(function, call):
                        if param in names:
                            yield scope, dotted_name(value), one.made


def _is_parameter(function: ir.Function, name: str) -> bool:
    """Whether a function is given what a name means in it; its own object (`self.optimizer`) it has."""
    return any(one.name == name for one in function.params)


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


def _changes_rate(spots: Iterable[Spot], name: str) -> bool:
    """Whether a schedule is made for an optimizer, or the rate of one of its groups is assigned."""
    for spot in spots:
        one = spot.expr
        if isinstance(one, ir.Call) and spot.scope.name(one.func).startswith("torch.optim.lr_scheduler."):
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
