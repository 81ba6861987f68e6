"""Custom `autograd.Function` classes that do not keep the contract of forward and backward, read from their methods.

Eager autograd tests the contract when it runs and raises; a compiled graph differentiates what it traced and does not,
so that a mistake passes in silence. Guarantee: methods with `*args` and returns that cannot be counted say nothing.
"""

from __future__ import annotations

from collections.abc import Iterator

from compilelint.events import Event, GradientHow, GradientRule
from compilelint.model import Confidence, Doubt
from compilelint.project.classes import ClassInfo, FunctionInfo
from compilelint.survey.scopes import Scope, Spot, expressions, is_literal, own_expressions, statements
from compilelint.syntax import ir
from compilelint.syntax.walk import last_name
from compilelint.values import ClassRef

_NUMBERS = frozenset({"int", "float", "bool", "str"})
# Operators on tensors; `+` also joins tuples, and `*` repeats them.
_TENSOR_OPERATORS = frozenset({"-", "/", "@", "**", "*"})


def gradients(found: list[Scope], seen: dict[Scope, list[Spot]]) -> Iterator[Event]:
    """What is odd about the functions of one file, and about calls of them."""
    for scope in found:
        function, owner = scope.function, scope.owner
        if function is not None and owner is not None and owner.is_autograd_function:
            if function.node.name in ("forward", "setup_context"):
                yield from _forward(scope, seen[scope])
            elif function.node.name == "backward":
                yield from _gradient_counts(scope, function, owner)
                yield from _written_gradient(scope, function)
        for spot in seen[scope]:
            if isinstance(spot.expr, ir.Call) and isinstance(spot.expr.func, ir.Call):
                yield from _instance_call(spot, spot.expr.func)


# ---------------------------------------------------------------------- counts


def _inputs(owner: ClassInfo) -> tuple[ir.Param, ...] | None:
    """The parameters of `forward` that `apply` fills; None where any number may come."""
    forward = owner.own("forward")
    if forward is None or any(p.kind in ("star", "double-star") for p in forward.node.params):
        return None
    bare = owner.method("setup_context") is not None
    return forward.node.params[forward.decorated("classmethod") + (not bare) :]


def _gradient_counts(scope: Scope, function: FunctionInfo, owner: ClassInfo) -> Iterator[Event]:
    """Returns of `backward` against the inputs of `forward`."""
    inputs = _inputs(owner)
    if inputs is None or function.node.is_generator:
        return
    needed = sum(p.default is None for p in inputs)
    gradient = {p.name for p in function.node.params[1:] if p.kind in ("either", "positional")}
    for s, _ in statements(function.node.body):
        if not isinstance(s, ir.Return):
            continue
        given = _gradients(s.value, gradient)
        if given is None:
            continue
        wanted = str(len(inputs)) if needed == len(inputs) else f"{needed} to {len(inputs)}"
        inputs_of = f"`forward` takes {wanted}"
        too_many = any(not is_literal(one, None) for one in given[len(inputs) :])
        if len(given) < needed or too_many:
            yield _broken_rule(scope, s, "gradient-count", f"{len(given)}", inputs_of, Confidence.CERTAIN)
            continue
        for one, param in zip(given, inputs, strict=False):
            kind = "" if param.annotation is None else last_name(param.annotation)
            if kind in _NUMBERS and isinstance(one, (ir.Name, ir.Binary)) and not _may_be_none(one, function):
                detail = f"`{param.name}` is annotated `{kind}`"
                yield _broken_rule(scope, s, "gradient-count", "", detail, Doubt.PASSED_AS_ANNOTATED.cap)


def _gradients(value: ir.Expr | None, gradient: set[str]) -> tuple[ir.Expr, ...] | None:
    """What a `return` gives, one item a gradient; None where that is not known."""
    if value is None:
        return None
    if isinstance(value, ir.Display) and value.kind == "tuple":
        return None if any(isinstance(item, ir.Star) for item in value.items) else value.items
    if isinstance(value, ir.Name):
        return (value,) if value.id in gradient else None
    if isinstance(value, ir.Binary) and value.op in _TENSOR_OPERATORS:
        inside = list(expressions([value]))
        if any(isinstance(one, (ir.Display, ir.Comp)) for one in inside):
            return None
        return (value,) if any(isinstance(one, ir.Name) and one.id in gradient for one in inside) else None
    return None


def _may_be_none(expr: ir.Expr, function: FunctionInfo) -> bool:
    """Whether a name is given None somewhere in the function, or more than one value."""
    if not isinstance(expr, ir.Name):
        return False
    for s, _ in statements(function.node.body):
        named = isinstance(s, ir.Assign) and any(_mentions(t, expr.id) for t in s.targets)
        if named and any(is_literal(one, None) for one in expressions(own_expressions(s))):
            return True
    return False


def _mentions(target: ir.Expr, name: str) -> bool:
    return any(isinstance(one, ir.Name) and one.id == name for one in expressions([target]))


# ---------------------------------------------------------------- what is saved


def _forward(scope: Scope, seen: list[Spot]) -> Iterator[Event]:
    function = scope.function
    assert function is not None
    params = function.node.params
    context = params[0].name if params else ""
    kinds = {p.name: last_name(p.annotation) for p in params if p.annotation is not None}
    rebound = _rebound(function.node)
    saved: dict[str, int] = {}
    for spot in seen:
        call = spot.expr
        if isinstance(call, ir.Call) and _is_method(call, context, "save_for_backward"):
            for one in call.args:
                what = _no_tensor(one, kinds, rebound)
                if what:
                    yield _broken_rule(scope, one, "saved-object", what, "", Confidence.CERTAIN)
                elif isinstance(one, ir.Name) and not spot.blocks:
                    saved.setdefault(one.id, call.pos)
    for name, expr, _ in _in_place_writes(function.node):
        if name in saved and expr.pos > saved[name] and name not in rebound:
            yield _broken_rule(scope, expr, "saved-written", name, "`forward` saved it before", Doubt.SHARED_UNSEEN.cap)
    yield from _kept_on_context(scope, function, context, kinds)


def _is_method(call: ir.Call, owner: str, name: str) -> bool:
    func = call.func
    return (
        isinstance(func, ir.Attr) and func.name == name and isinstance(func.value, ir.Name) and func.value.id == owner
    )


def _no_tensor(expr: ir.Expr, kinds: dict[str, str], rebound: set[str]) -> str:
    """What an argument of `save_for_backward` is, in words, if it is certainly no tensor."""
    if isinstance(expr, ir.Const) and expr.value is not None:
        return f"`{expr.value!r}`"
    if isinstance(expr, (ir.Display, ir.DictDisplay, ir.Comp)):
        return "a container"
    if isinstance(expr, ir.Attr) and expr.name in ("shape", "dtype", "device"):
        return f"a `{expr.name}`"
    if isinstance(expr, ir.Name) and kinds.get(expr.id) in _NUMBERS and expr.id not in rebound:
        return f"`{expr.id}`, annotated `{kinds[expr.id]}`,"
    return ""


def _kept_on_context(scope: Scope, function: FunctionInfo, context: str, kinds: dict[str, str]) -> Iterator[Event]:
    """`ctx.x = x` for a tensor: an argument annotated as one, or what `forward` returns."""
    returned = {
        s.value.id
        for s, _ in statements(function.node.body)
        if isinstance(s, ir.Return) and isinstance(s.value, ir.Name)
    }
    for s, _ in statements(function.node.body):
        if not isinstance(s, ir.Assign) or not isinstance(s.value, ir.Name):
            continue
        target = s.targets[0]
        held = isinstance(target, ir.Attr) and isinstance(target.value, ir.Name) and target.value.id == context
        if held and (kinds.get(s.value.id) == "Tensor" or s.value.id in returned):
            yield _broken_rule(scope, s, "ctx-tensor", s.value.id, "", Doubt.WRITTEN_LATER_UNSEEN.cap)


# ------------------------------------------------------------- in-place writes


def _written_gradient(scope: Scope, function: FunctionInfo) -> Iterator[Event]:
    """In-place writes of `backward` to the gradients it is given, and to saved tensors."""
    params = {p.name for p in function.node.params[1:] if p.kind in ("either", "positional")}
    saved: set[str] = set()
    for s, _ in statements(function.node.body):
        if isinstance(s, ir.Assign) and isinstance(s.value, ir.Attr) and s.value.name == "saved_tensors":
            saved.update(one.id for t in s.targets for one in expressions([t]) if isinstance(one, ir.Name))
    rebound = _rebound(function.node, but="saved_tensors")
    for name, expr, _ in _in_place_writes(function.node):
        if name in rebound:
            continue
        if name in params:
            yield _broken_rule(scope, expr, "gradient-written", name, "", Doubt.SHARED_UNSEEN.cap)
        elif name in saved:
            yield _broken_rule(
                scope, expr, "saved-written", name, "`backward` is given it as it was saved", Doubt.SHARED_UNSEEN.cap
            )


def _rebound(node: ir.Function, but: str = "") -> set[str]:
    """Names that the body assigns as a whole; `but` excepts reads of an attribute of that name."""
    out: set[str] = set()
    for s, _ in statements(node.body):
        if isinstance(s, ir.Assign) and not (but and isinstance(s.value, ir.Attr) and s.value.name == but):
            out.update(name for t in s.targets for name in _names_bound(t))
        elif isinstance(s, ir.For):
            out.update(_names_bound(s.target))
    return out


def _names_bound(target: ir.Expr) -> Iterator[str]:
    if isinstance(target, ir.Name):
        yield target.id
    elif isinstance(target, ir.Display):
        for item in target.items:
            yield from _names_bound(item.value if isinstance(item, ir.Star) else item)


def _in_place_writes(node: ir.Function) -> Iterator[tuple[str, ir.Expr, ir.Stmt]]:
    """Names whose tensors the body changes in place: `x.mul_()`, `x[i] = v`, `x *= 2`."""
    for s, _ in statements(node.body):
        if isinstance(s, ir.Assign):
            for t in s.targets:
                if isinstance(t, ir.Index) and isinstance(t.value, ir.Name):
                    yield t.value.id, t, s
        elif isinstance(s, ir.AugAssign):
            target = s.target.value if isinstance(s.target, ir.Index) else s.target
            if isinstance(target, ir.Name):
                yield target.id, s.target, s
        for one in expressions(own_expressions(s)):
            if isinstance(one, ir.Call) and isinstance(one.func, ir.Attr) and isinstance(one.func.value, ir.Name):
                name = one.func.name
                if name.endswith("_") and not name.startswith("_") and name not in ("requires_grad_", "detach_"):
                    yield one.func.value.id, one, s


# ----------------------------------------------------------------------- calls


def _instance_call(spot: Spot, made: ir.Call) -> Iterator[Event]:
    """`MyFunction()(x)`: the way of torch before 1.3."""
    meaning = spot.scope.meaning(made.func)
    cls = meaning.cls if isinstance(meaning, ClassRef) else None
    if isinstance(cls, ClassInfo) and cls.is_autograd_function and cls.method("__call__") is None:
        yield GradientRule(spot.site(), None, "instance-call", cls.node.name, "", Confidence.CERTAIN)


def _broken_rule(
    scope: Scope, at: ir.Expr | ir.Stmt, how: GradientHow, name: str, detail: str, sure: Confidence
) -> GradientRule:
    return GradientRule(scope.site(at.pos), None, how, name, detail, sure)
