"""Compiled objects that only the handlers of a server call: then the first request waits for the compilation.

A handler is an endpoint of a web framework, a method that serving frameworks call for each request, or a function that
an interface is made of. One that is called anywhere else, or handed on, may be warm before the first request comes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from compilelint.events import Compile
from compilelint.survey.compiled_objects import Bound, Decorated, Seen, function_called, given
from compilelint.survey.made import makers
from compilelint.survey.scopes import Scope, Spot, argument, text_of
from compilelint.syntax import ir
from compilelint.syntax.walk import last_name

_APPS = frozenset({"fastapi.FastAPI", "fastapi.APIRouter", "flask.Flask", "flask.Blueprint", "sanic.Sanic"})
_ROUTES = frozenset({"get", "post", "put", "patch", "delete", "route", "api_route", "websocket"})
_INTERFACES = frozenset({"gradio.Interface", "gradio.ChatInterface"})
# Methods that serve one request each, by the class that frameworks ask for.
_METHODS = {"BaseHTTPRequestHandler": ("do_GET", "do_POST", "do_PUT"), "BasePredictor": ("predict",)}
_HARMLESS = frozenset("eval train to cuda cpu half bfloat16 float requires_grad_ parameters".split())
_CALLERS = 3  # calls between a handler and the model


def served(compiled: Bound | Decorated, seen: Seen) -> Iterator[Compile]:
    """The compile call of an object that nothing but handlers of the same file call."""
    calling = {scope: _calls(compiled, scope, spots) for scope, spots in seen.items()}
    callers = [scope for scope, calls in calling.items() if calls]
    if not callers or any(_handed_on(compiled, scope, seen[scope], calling[scope]) for scope in callers):
        return
    others = [scope for scope in seen if scope not in callers]
    if any(_handed_on(compiled, scope, seen[scope], ()) for scope in others):
        return
    handlers = [_handler(scope, seen, _CALLERS) for scope in callers]
    first = handlers[0]
    made = compiled.wrapper.scope if isinstance(compiled, Bound) else compiled.scope
    if first is None or any(one is None or one is made for one in handlers):
        return
    assert first.function is not None
    at = first.module.ir.location(first.function.node.pos)
    yield Compile(made.site(compiled.call.pos), None, "served", compiled.name, first.qualname, at)


def _calls(compiled: Bound | Decorated, scope: Scope, spots: Sequence[Spot]) -> tuple[ir.Call, ...]:
    """The calls of the object in a scope."""
    return tuple(
        spot.expr
        for spot in spots
        if isinstance(spot.expr, ir.Call) and compiled.means(scope, spot.expr.func) is not None
    )


def _handed_on(compiled: Bound | Decorated, scope: Scope, spots: Sequence[Spot], calls: Sequence[ir.Call]) -> bool:
    """Whether the object is used in a scope other than by these calls: what it is handed to may call it."""
    known = {id(call.func) for call in calls}
    for spot in spots:
        one = spot.expr
        if isinstance(one, ir.Attr) and one.name in _HARMLESS:
            known.add(id(one.value))
        elif isinstance(one, (ir.Name, ir.Attr)) and id(one) not in known:
            stores = isinstance(spot.statement, ir.Assign) and any(one is target for target in spot.statement.targets)
            if not stores and compiled.means(scope, one) is not None:
                return True
    return False


def _handler(scope: Scope, seen: Seen, deep: int) -> Scope | None:
    """The handler that a scope is, or the one that alone leads to it; None if anything else may run it."""
    if scope.function is None:
        return None
    if _is_handler(scope, seen):
        return scope
    if not deep or scope.owner is not None:
        return None
    callers = [
        one
        for one, spots in seen.items()
        for spot in spots
        if isinstance(spot.expr, ir.Call) and function_called(one, spot.expr) is scope.function
    ]
    found = [_handler(one, seen, deep - 1) for one in callers]
    return found[0] if found and all(one is not None for one in found) else None


def _is_handler(scope: Scope, seen: Seen) -> bool:
    """Whether a framework calls a function for each request."""
    function = scope.function
    assert function is not None
    outside = scope.parent or scope
    for one in function.node.decorators:
        if isinstance(one, ir.Call) and isinstance(one.func, ir.Attr) and one.func.name in _ROUTES:
            path = text_of(argument(one, 0, "path", "rule")) or ""
            apps = [outside.name(made.func) for made in makers(outside, one.func.value)]
            if path.startswith("/") and any(app in _APPS for app in apps):
                return True
    bases = () if scope.owner is None else scope.owner.external_bases
    if any(function.node.name in _METHODS.get(base.rpartition(".")[2], ()) for base in bases):
        return True
    return any(_serves(one, spot.expr, function.node) for one, spots in seen.items() for spot in spots)


def _serves(scope: Scope, call: ir.Expr, function: ir.Function) -> bool:
    """Whether a call makes an interface of a function: `gr.Interface(fn=predict, ...)`."""
    if not isinstance(call, ir.Call) or last_name(call.func) not in ("Interface", "ChatInterface"):
        return False
    if scope.name(call.func) not in _INTERFACES:
        return False
    return any(
        isinstance(one, ir.Name) and any(bound is function for bound in scope.bindings(one.id) or ())
        for one in given(call)
    )
