"""Compiled objects that only the handlers of a server call: then the first request waits for the compilation.

A handler is an endpoint of a web framework, a method that serving frameworks call for each request, or a function that
an interface is made of. One that is called anywhere else, or handed on, may be warm before the first request comes. A
part of an object (`pipe.unet`) is run by calls of the object.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from compilelint.events import Compile
from compilelint.project.classes import Imported
from compilelint.survey.by_name import Spots
from compilelint.survey.compiled_objects import Bound, Decorated, Mentions, Seen, function_called, function_of, given
from compilelint.survey.made import makers
from compilelint.survey.scopes import Scope, argument, text_of
from compilelint.syntax import ir
from compilelint.syntax.walk import dotted_name, last_name

_APPS = frozenset({"fastapi.FastAPI", "fastapi.APIRouter", "flask.Flask", "flask.Blueprint", "sanic.Sanic"})
_ROUTES = frozenset({"get", "post", "put", "patch", "delete", "route", "api_route", "websocket"})
_INTERFACES = frozenset({"gradio.Interface", "gradio.ChatInterface"})
_EVENTS = frozenset({"click", "submit", "change", "upload", "release"})  # of the parts of a page of Gradio
# Methods that serve one request each, by the class that frameworks ask for.
_METHODS = {
    "BaseHTTPRequestHandler": ("do_GET", "do_POST", "do_PUT"),
    "BasePredictor": ("predict",),
    "BaseHandler": ("preprocess", "inference", "postprocess", "handle"),
    "LitAPI": ("predict",),
}
_SERVING = frozenset({"modal.method", "modal.web_endpoint", "modal.fastapi_endpoint", "bentoml.api"})  # decorators
_HARMLESS = frozenset("eval train to cuda cpu half bfloat16 float requires_grad_ parameters".split())
_SETTING_UP = ("enable_", "disable_", "set_", "load_", "unload_", "fuse_", "register_", "upcast_", "from_")
_CALLERS = 3  # calls between a handler and the model


def served(compiled: Bound | Decorated, seen: Seen, mentions: Mentions) -> Iterator[Compile]:
    """The compile call of an object that nothing but handlers of the same file call."""
    running = [compiled, *_holders(compiled, seen)]
    naming = mentions.of(*running)
    calling = {
        scope: tuple(call for number, one in enumerate(running) for call in _calls(one, scope, seen[scope], number > 0))
        for scope in naming
    }
    callers = [scope for scope, calls in calling.items() if calls]
    if not callers or any(
        _handed_on(one, scope, seen[scope], calling[scope], number > 0)
        for number, one in enumerate(running)
        for scope in naming
    ):
        return
    handlers = [_handler(scope, mentions, _CALLERS) for scope in callers]
    first = handlers[0]
    made = compiled.wrapper.scope if isinstance(compiled, Bound) else compiled.scope
    if first is None or any(one is None or one is made for one in handlers):
        return
    assert first.function is not None
    at = first.module.ir.location(first.function.node.pos)
    yield Compile(made.site(compiled.call.pos), None, "served", compiled.name, first.qualname, at)


def _holders(compiled: Bound | Decorated, seen: Seen) -> Iterator[Bound]:
    """The object that holds the compiled one, under its own name and as the attribute of `self` that it becomes."""
    if not isinstance(compiled, Bound):
        return
    wrapper = compiled.wrapper
    keys = []
    holder = wrapper.key.rpartition(".")[0]
    while holder not in ("", "self"):
        keys.append(holder)
        for s in seen[wrapper.scope].assigned_from(holder):
            keys += [key for key in map(dotted_name, s.targets) if key.startswith("self.")]
        holder = holder.rpartition(".")[0]
    yield from (Bound(replace(wrapper, key=key), compiled.function) for key in keys)


def _calls(compiled: Bound | Decorated, scope: Scope, spots: Spots, holds: bool) -> Iterator[ir.Call]:
    """The calls of the object in a scope, and those of its methods where it only `holds` what is compiled."""
    key = compiled.key
    for spot in (*spots.calling(key), *(spots.methods_of(key) if holds else ())):
        call = spot.expr
        if not isinstance(call, ir.Call):
            continue
        method = call.func if holds and isinstance(call.func, ir.Attr) else None
        if compiled.means(scope, call.func) is not None:
            yield call
        elif method is None or method.name in _HARMLESS or method.name.startswith(_SETTING_UP):
            continue
        elif compiled.means(scope, method.value) is not None:
            yield call


def _handed_on(compiled: Bound | Decorated, scope: Scope, spots: Spots, calls: Sequence[ir.Call], holds: bool) -> bool:
    """Whether the object is used in a scope other than by these calls: what it is handed to may call it."""
    known = {id(call.func) for call in calls}
    for spot in spots.naming(compiled.key):
        one = spot.expr
        if isinstance(one, ir.Attr) and (holds or one.name in _HARMLESS):
            known.add(id(one.value))
        elif isinstance(one, (ir.Name, ir.Attr)) and id(one) not in known:
            s = spot.statement
            stores = isinstance(s, ir.Assign) and any(one is target for target in s.targets)
            kept = holds and isinstance(s, ir.Assign) and s.value is one and dotted_name(s.targets[0])[:5] == "self."
            kept = kept or (isinstance(s, ir.Return) and _of_a_framework(scope))
            if not stores and not kept and compiled.means(scope, one) is not None:
                return True
    return False


def _of_a_framework(scope: Scope) -> bool:
    """Whether a method belongs to a class that a framework sets up: what it returns goes nowhere."""
    return any(base in _METHODS for base in _bases(scope))


def _bases(scope: Scope) -> list[str]:
    """The last names of what the class of a method descends from."""
    if scope.owner is None:
        return []
    bases = [one.rpartition(".")[2] if isinstance(one, str) else one.node.name for one in scope.owner.mro]
    return bases[1:]


def _handler(scope: Scope, mentions: Mentions, deep: int) -> Scope | None:
    """The handler that a scope is, or the one that alone leads to it; None if anything else may run it."""
    if scope.function is None:
        return None
    if _is_handler(scope, mentions):
        return scope
    if not deep:
        return None
    callers = mentions.once(_methods_run if scope.owner else _functions_run).get(id(scope.function.node), [])
    found = [_handler(one, mentions, deep - 1) for one in callers]
    return found[0] if found and all(one is not None for one in found) else None


def _functions_run(seen: Seen) -> dict[int, list[Scope]]:
    """The scopes that call a function, by `id` of its node, one for each call."""
    found: dict[int, list[Scope]] = {}
    for scope, call in _all_calls(seen):
        code = function_called(scope, call)
        if code is not None:
            found.setdefault(id(code.node), []).append(scope)
    return found


def _methods_run(seen: Seen) -> dict[int, list[Scope]]:
    """The same for methods of objects whose class is known."""
    found: dict[int, list[Scope]] = {}
    for scope, call in _all_calls(seen):
        method = function_of(scope, call.func) if isinstance(call.func, ir.Attr) else None
        if method is not None:
            found.setdefault(id(method), []).append(scope)
    return found


def _all_calls(seen: Seen) -> Iterator[tuple[Scope, ir.Call]]:
    for scope, spots in seen.items():
        for spot in spots:
            if isinstance(spot.expr, ir.Call):
                yield scope, spot.expr


def _is_handler(scope: Scope, mentions: Mentions) -> bool:
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
        if outside.name(one.func if isinstance(one, ir.Call) else one) in _SERVING:
            return True
    if any(function.node.name in _METHODS.get(base, ()) for base in _bases(scope)):
        return True
    return id(function.node) in mentions.once(_given_to_pages)


def _given_to_pages(seen: Seen) -> set[int]:
    """The functions that calls give a page, by `id`: `gr.Interface(fn=predict, ...)`, `button.click(predict, ...)`."""
    return {
        id(bound)
        for scope, call in _all_calls(seen)
        if _makes_a_page(scope, call)
        for one in given(call)
        if isinstance(one, ir.Name)
        for bound in scope.bindings(one.id) or ()
    }


def _makes_a_page(scope: Scope, call: ir.Call) -> bool:
    if last_name(call.func) in _EVENTS:
        return isinstance(call.func, ir.Attr) and _imports_gradio(scope)
    return last_name(call.func) in ("Interface", "ChatInterface") and scope.name(call.func) in _INTERFACES


def _imports_gradio(scope: Scope) -> bool:
    """Whether the file imports Gradio."""
    bound = (one for found in scope.module.bindings.values() for one in found)
    return any(isinstance(one, Imported) and one.module.partition(".")[0] == "gradio" for one in bound)
