"""The compiled objects of a file, and the expressions that mean one of them: names, methods, parameters.

An object is compiled by assignment, in place or by a decorator. Nothing is evaluated: a name is followed through the
scope that compiled it and into those that read it as a global or attribute, a method through `self` and through names
of instances made or annotated as that class. Does not belong here: what is done around its calls (`around`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Set
from dataclasses import dataclass
from typing import Any, TypeVar

from compilelint.model import Confidence, Doubt, Location
from compilelint.project.classes import ClassInfo, FunctionInfo
from compilelint.survey.by_name import Spots
from compilelint.survey.compile_forms import compiled_by, compiled_in_place, decorator_of
from compilelint.survey.deadline import look
from compilelint.survey.made import makers
from compilelint.survey.optimized_modules import Wrapper, run_in_parallel
from compilelint.survey.rebinding import bound_by, rebinds
from compilelint.survey.scopes import Scope, Spot, argument, statements
from compilelint.syntax import ir, places
from compilelint.syntax.walk import dotted_name
from compilelint.values import ClassRef, FunctionRef

Seen = Mapping[Scope, Spots]
Found = TypeVar("Found")


@dataclass(frozen=True, eq=False)
class Bound:
    """A name or attribute that holds a compiled object; `function` is what was compiled, where it is one."""

    wrapper: Wrapper
    function: ir.Function | None

    @property
    def name(self) -> str:
        """The object as it was bound."""
        return self.wrapper.key

    @property
    def key(self) -> str:
        """By what `Spots` finds it."""
        return self.wrapper.key

    @property
    def call(self) -> ir.Call:
        """The compile call with all its keywords."""
        return self.wrapper.call

    @property
    def made(self) -> Location:
        """Where it was compiled."""
        return self.wrapper.made

    def means(self, scope: Scope, expr: ir.Expr) -> Confidence | None:
        """How sure it is that an expression is the compiled object; None if it is not."""
        return self.wrapper.holds_at(scope, expr.pos) if dotted_name(expr) == self.wrapper.key else None


@dataclass(frozen=True, eq=False)
class Decorated:
    """A function or method under a compiling decorator, `call`, in the scope that defines it."""

    function: ir.Function
    call: ir.Call
    scope: Scope

    @property
    def name(self) -> str:
        """The function's own name."""
        return self.function.name

    @property
    def key(self) -> str:
        """By what `Spots` finds it."""
        return f".{self.name}" if self.is_method else self.name

    @property
    def made(self) -> Location:
        """Where it was compiled: the decorator."""
        return self.scope.module.ir.location(self.call.pos)

    def means(self, scope: Scope, expr: ir.Expr) -> Confidence | None:
        """As for names; a method is the one that the class of the object before the dot has."""
        if isinstance(expr, ir.Name) and expr.id == self.function.name and not self.is_method:
            bound = scope.bindings(expr.id) or []
            return Confidence.CERTAIN if len(bound) == 1 and bound[0] is self.function else None
        if isinstance(expr, ir.Attr) and expr.name == self.function.name and self.is_method:
            cls = _class_of(scope, expr.value)
            method = None if cls is None else cls.method(expr.name)
            return Confidence.CERTAIN if method is not None and method.node is self.function else None
        return None

    @property
    def is_method(self) -> bool:
        """Whether a class defines it."""
        return self.scope.function is None and self.scope.owner is not None


@dataclass(frozen=True, eq=False)
class Received:
    """A parameter that is passed a compiled object; `passed` is the call that does so, seen from `caller`."""

    of: Bound | Decorated
    scope: Scope
    name: str
    caller: Scope
    passed: ir.Call

    @property
    def key(self) -> str:
        """By what `Spots` finds it."""
        return self.name

    @property
    def call(self) -> ir.Call:
        """The compile call of what is passed."""
        return self.of.call

    @property
    def function(self) -> ir.Function | None:
        """The function that is passed, where it is one."""
        return self.of.function

    @property
    def made(self) -> Location:
        """Where what is passed was compiled."""
        return self.of.made

    def means(self, scope: Scope, expr: ir.Expr) -> Confidence | None:
        """As for names; other callers may pass something else."""
        here = scope is self.scope and isinstance(expr, ir.Name) and expr.id == self.name
        return Doubt.BOUND_ELSEWHERE.cap if here else None


class Mentions:
    """In which scopes of a file a name stands at all, as itself or behind a dot: nothing else can mean an object of
    that name, and a file may have thousands of both.
    """

    def __init__(self, seen: Seen) -> None:
        self._seen = seen
        self._read: dict[Callable[[Seen], Any], Any] = {}
        self._scopes = list(seen)
        self._numbers = {scope: number for number, scope in enumerate(seen)}
        self._by_name: dict[tuple[str, int], set[int]] = {}  # with `id` of what binds the name where it stands
        self._by_attribute: dict[str, set[int]] = {}
        self._by_method: dict[str, dict[int, set[int]]] = {}
        for number, (scope, spots) in enumerate(seen.items()):
            for spot in spots:
                look()
                if isinstance(spot.expr, ir.Name):
                    bound = id(scope.bindings(spot.expr.id))
                    self._by_name.setdefault((spot.expr.id, bound), set()).add(number)
                elif isinstance(spot.expr, ir.Attr):
                    self._by_attribute.setdefault(spot.expr.name, set()).add(number)

    def of(self, *objects: Bound | Decorated) -> list[Scope]:
        """The scopes that may name one of these objects, in the order of the file."""
        look()
        found: set[int] = set()
        for one in objects:
            found |= self._of(one)
        return [self._scopes[number] for number in sorted(found)]

    def _of(self, one: Bound | Decorated) -> Set[int]:
        scope = one.wrapper.scope if isinstance(one, Bound) else one.scope
        local = isinstance(one, Bound) and scope.parent is not None and "." in one.name
        if local and not one.name.startswith("self."):
            return {self._numbers[scope]}  # elsewhere the name may be another object
        if isinstance(one, Decorated) and one.is_method:
            return self._methods(one.name).get(id(one.function), set())
        if "." in one.name:
            return self._by_attribute.get(one.name.rpartition(".")[2], set())
        return {*self._by_name.get((one.name, id(scope.bindings(one.name))), ()), self._numbers[scope]}

    def _methods(self, name: str) -> dict[int, set[int]]:
        """The scopes that name a method, by `id` of its function, of all methods of that name."""
        found = self._by_method.get(name)
        if found is None:
            found = self._by_method[name] = {}
            for number in self._by_attribute.get(name, ()):
                scope = self._scopes[number]
                for spot in self._seen[scope].naming(f".{name}"):
                    look()
                    method = function_of(scope, spot.expr) if isinstance(spot.expr, ir.Attr) else None
                    if method is not None:
                        found.setdefault(id(method), set()).add(number)
        return found

    def once(self, read: Callable[[Seen], Found]) -> Found:
        """What is read off the whole file, once for all objects that are compiled in it."""
        if read not in self._read:
            self._read[read] = read(self._seen)
        found: Found = self._read[read]
        return found


def compiled_objects(seen: Seen) -> Iterator[Bound | Decorated]:
    """The compiled objects of one file, whose scopes `seen` holds."""
    for scope, spots in seen.items():
        for spot, call in spots.calls:
            look()
            for one in _bound(spot, call, spots):
                yield one
                yield from (Bound(other, one.function) for other in run_in_parallel(one.wrapper, spots))
        for s, _ in statements(scope.body):
            if isinstance(s, ir.Function) and s.decorators:
                decorator = decorator_of(scope, s)
                if decorator is not None:
                    yield Decorated(s, decorator, scope)


def _bound(spot: Spot, call: ir.Call, spots: Spots) -> Iterator[Bound]:
    """What a statement compiles under a name: `m = torch.compile(m)`, `m.compile()`."""
    s = spot.statement
    if isinstance(s, ir.Assign) and s.value is call and len(s.targets) == 1:
        key, whole = dotted_name(s.targets[0]), compiled_by(spot.scope, call)
    elif isinstance(s, ir.ExprStmt) and s.value is call:
        key, whole = compiled_in_place(spot.scope, call), None
    else:
        return
    if not key or (whole is None and isinstance(s, ir.Assign)):
        return
    bound = [bound_by(one) for one in rebinds(key, spots, spot) if one is not s]
    if whole is None:  # the object was there before, and its name with it
        bound = [one for one in bound if places.line_of(one) > places.line_of(call.pos)]
    wrapper = Wrapper(key, whole or call, spot.scope, "", None, bool(spot.blocks), tuple(bound))
    yield Bound(wrapper, _compiled_function(spot.scope, whole))


def _compiled_function(scope: Scope, call: ir.Call | None) -> ir.Function | None:
    """The function that a compile call is given."""
    target = None if call is None else argument(call, 0, "model")
    return None if target is None else function_of(scope, target)


def function_of(scope: Scope, expr: ir.Expr) -> ir.Function | None:
    """The function of the file that an expression names: by itself, or a method of an object whose class is known."""
    if isinstance(expr, ir.Attr):
        cls = _class_of(scope, expr.value)
        method = None if cls is None else cls.method(expr.name)
        return None if method is None else method.node
    bound = (scope.bindings(expr.id) or []) if isinstance(expr, ir.Name) else []
    functions = [one for one in bound if isinstance(one, ir.Function)]
    return functions[0] if len(functions) == 1 else None


def _class_of(scope: Scope, expr: ir.Expr) -> ClassInfo | None:
    """The class of the program that an object is an instance of: `self`, what is made once, or annotated so."""
    if not isinstance(expr, ir.Name):
        return None
    params = () if scope.function is None else scope.function.node.params
    annotated = next((p.annotation for p in params if p.name == expr.id), None)
    if scope.owner is not None and params and params[0].name == expr.id:
        return scope.owner
    if annotated is not None and expr.id not in scope.names:
        return _known_class(scope, annotated)
    found = [_known_class(scope, one.func) for one in makers(scope, expr)]
    return found[0] if len(found) == 1 and len(scope.bindings(expr.id) or ()) == 1 else None


def _known_class(scope: Scope, expr: ir.Expr) -> ClassInfo | None:
    meaning = scope.meaning(expr)
    return meaning.cls if isinstance(meaning, ClassRef) and isinstance(meaning.cls, ClassInfo) else None


# ------------------------------------------------------------------ passed on


def received(of: Bound | Decorated, seen: Seen, mentions: Mentions) -> Iterator[Received]:
    """The parameters of functions of the file that are passed the compiled object."""
    for scope in mentions.of(of):
        for spot in seen[scope].given(of.key):
            look()
            call = spot.expr
            if not isinstance(call, ir.Call) or not any(of.means(scope, one) is not None for one in given(call)):
                continue
            names = [name for name, value in passed(scope, call) if of.means(scope, value) is not None]
            code = function_called(scope, call) if names else None
            callee = None if code is None else mentions.once(_bodies).get(id(code))
            if callee is not None:
                yield from (Received(of, callee, name, scope, call) for name in names if name not in callee.names)


def _bodies(seen: Seen) -> dict[int, Scope]:
    """The bodies of the functions of a file, by `id` of what they are of."""
    return {id(one.function): one for one in reversed(list(seen)) if one.function is not None}


def scope_of(scope: Scope, call: ir.Call, seen: Seen) -> Scope | None:
    """The body of the function that a call names, if this file defines it."""
    code = function_called(scope, call)
    return next((one for one in seen if one.function is code), None) if code is not None else None


def given(call: ir.Call) -> list[ir.Expr]:
    """All arguments of a call."""
    return [*call.args, *(value for _, value in call.keywords)]


def passed(scope: Scope, call: ir.Call) -> Iterator[tuple[str, ir.Expr]]:
    """Parameters with what a call of a plain function passes for them."""
    code = function_called(scope, call)
    if code is not None:
        yield from passed_to(code.node, call)


def passed_to(function: ir.Function, call: ir.Call) -> Iterator[tuple[str, ir.Expr]]:
    """Parameters of a function with what a call of it passes; `obj.method(...)` passes no `self`."""
    if any(isinstance(one, ir.Star) for one in call.args):
        return
    names = [one.name for one in function.params if one.kind in ("either", "positional")]
    if isinstance(call.func, ir.Attr) and names[:1] == ["self"]:
        names = names[1:]
    yield from zip(names, call.args, strict=False)
    yield from ((name, value) for name, value in call.keywords if name is not None)


def function_called(scope: Scope, call: ir.Call) -> FunctionInfo | None:
    """The plain function of the program that a call names."""
    meaning = scope.meaning(call.func)
    code = meaning.code if isinstance(meaning, FunctionRef) else None
    return code if isinstance(code, FunctionInfo) else None


def stored(key: str, scope: Scope, seen: Seen) -> tuple[Scope, ir.Expr] | None:
    """What a name, or an attribute of `self`, is bound to, with the scope that binds it; None if it is several."""
    if "." not in key:
        made = scope.assigned(key)
        return (scope, made[0]) if len(made) == 1 else None
    if not key.startswith("self.") or scope.owner is None:
        return None
    found = [
        (one, s.value)
        for one in seen
        if one.owner is scope.owner
        for s, _ in statements(one.body)
        if isinstance(s, ir.Assign) and any(dotted_name(target) == key for target in s.targets)
    ]
    return found[0] if len(found) == 1 else None
