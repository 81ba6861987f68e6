"""Compiled steps of optimizers: whether the learning rate is a number that a schedule changes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TypeAlias

from compilelint.events import Around
from compilelint.model import Doubt, Location
from compilelint.survey.compile_forms import compiled_by
from compilelint.survey.compiled_objects import Bound, Decorated, Seen, function_of, given, passed_to, stored
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


# Options that hold a learning rate, and from how many names in a row one may come.
_RATES = frozenset({"lr", "learning_rate", "base_lr", "max_lr", "learn_rate"})
_NAMES = 3
_SCHEDULES = "torch.optim.lr_scheduler."  # each is given the optimizer first, and assigns to the rate of its groups


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
            for spot in spots.calling(one.key):
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
    """Whether the rate of an optimizer is a number: written down, the default, or an option of the script."""
    if any(name is None for name, _ in call.keywords) or any(isinstance(one, ir.Star) for one in call.args):
        return False
    rate = argument(call, 1, "lr")
    return rate is None or _is_number(scope, rate)


def _is_number(scope: Scope, expr: ir.Expr, names: int = _NAMES) -> bool:
    """Whether an expression is a number: a literal, an option of that name (`args.lr`), or computed from such."""
    if isinstance(expr, ir.Const):
        return isinstance(expr.value, (int, float)) and not isinstance(expr.value, bool)
    if isinstance(expr, ir.Name):
        known = scope.assigned(expr.id)
        if len(known) == 1:
            return bool(names) and _is_number(scope, known[0], names - 1)
        params = () if scope.function is None else scope.function.node.params
        annotated = [one.annotation for one in params if one.name == expr.id and expr.id not in scope.names]
        return any(isinstance(one, ir.Name) and one.id == "float" for one in annotated)
    if isinstance(expr, ir.Attr):  # options are read from the command line or a file, neither of which holds tensors
        base = dotted_name(expr.value)
        return bool(base) and base != "self" and expr.name in _RATES
    if isinstance(expr, ir.Binary):
        return _is_number(scope, expr.left, names) and _is_operand(scope, expr.right, names)
    return isinstance(expr, ir.Call) and isinstance(expr.func, ir.Name) and expr.func.id == "float"


def _is_operand(scope: Scope, expr: ir.Expr, names: int) -> bool:
    """Whether an expression leaves a number that it scales a number: another number, an option, a count."""
    return _is_number(scope, expr, names) or (isinstance(expr, ir.Attr) and dotted_name(expr.value) not in ("", "self"))


def _changes_rate(spots: Iterable[Spot], name: str) -> bool:
    """Whether a schedule is made for an optimizer, or the rate of one of its groups is assigned.

    A schedule is of torch, or whatever is made for the optimizer and makes steps beside it.
    """
    spots = list(spots)
    for spot in spots:
        one = spot.expr
        if isinstance(one, ir.Call) and any(dotted_name(value) == name for value in given(one)):
            if spot.scope.name(one.func).startswith(_SCHEDULES) or _makes_steps(spots, spot.statement, one):
                return True
            continue
        if isinstance(one, ir.Index) and isinstance(one.index, ir.Const) and one.index.value == "lr":
            s = spot.statement
            if isinstance(s, (ir.Assign, ir.AugAssign)) and _is_target(s, one) and _of_groups(spot, one.value, name):
                return True
    return False


def _makes_steps(spots: Iterable[Spot], s: ir.Stmt, made: ir.Call) -> bool:
    """Whether what a call makes is kept under a name whose `step` is called."""
    if not isinstance(s, ir.Assign) or s.value is not made or len(s.targets) != 1:
        return False
    kept = dotted_name(s.targets[0])
    calls = (spot.expr for spot in spots if isinstance(spot.expr, ir.Call))
    return bool(kept) and any(dotted_name(one.func) == f"{kept}.step" for one in calls)


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
