"""Which code runs in each step of training or inference, by the names of calls.

A step of training is what surrounds a backward pass: the innermost loop around it, or the function that it stands in
and, as far as they have no loop around the call, the functions that call that one. What such code calls belongs to the
step, too, unless it is called in some passes alone (`if step % 100 == 0`). A step of inference is a loop that computes
without gradients, or that calls what is compiled.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import field

from compilelint.model.slotted import dataclass
from compilelint.project.classes import ClassInfo
from compilelint.survey.practices.practice import COMPILED, INFERENCE, LOOP, TRAINING
from compilelint.survey.practices.written import at_times, bound_to, func_of, is_method, loops_of
from compilelint.survey.scopes import Scope, Spot
from compilelint.syntax import ir
from compilelint.syntax.walk import last_name
from compilelint.values import ClassRef, External

_COMMON = frozenset({"__init__", "backward", "forward", "main", "run", "call", "step", "update", "add", "get", "apply"})
_NO_GRADIENTS = frozenset({"no_grad", "inference_mode"})
_PARTIAL = "functools.partial"
_MOST_METHODS = 3  # of one name, which override each other


@dataclass(frozen=True, slots=True)
class _Called:
    """A call, or a function that is handed on: its name, the class whose method it is, and the innermost loop."""

    name: str
    owner: str
    is_attribute: bool
    loop: int
    at_times: bool


@dataclass(slots=True)
class _Body:
    """What one function, or the top level of a file, calls. `key` is 0 for what is no function."""

    key: int
    file: int
    name: str
    owner: str
    is_layer: bool
    calls: list[_Called] = field(default_factory=list)
    backward: list[int] = field(default_factory=list)  # the innermost loops, 0 for none
    updates: set[int] = field(default_factory=set)  # those of the steps of an optimizer


@dataclass(frozen=True, slots=True)
class Steps:
    """The functions and the loops that run in each step of training, by the identity of their syntax."""

    functions: frozenset[int]
    loops: frozenset[int]

    def cover(self, spot: Spot) -> bool:
        """Whether an expression is evaluated in each step of training."""
        return self.has(spot.scope) or any(id(loop) in self.loops for loop in loops_of(spot))

    def has(self, scope: Scope) -> bool:
        """Whether all of a function runs in each step."""
        return scope.function is not None and id(scope.function.node) in self.functions


def place_of(spot: Spot, steps: Steps, inference: frozenset[int], compiled: frozenset[int]) -> str:
    """Where an expression runs again and again; empty where it does not."""
    if steps.cover(spot):
        return TRAINING
    around = {id(loop) for loop in loops_of(spot)}
    if around & compiled:
        return COMPILED
    return INFERENCE if around & inference else LOOP if around else ""


def loops_without_gradients(seen: Sequence[Spot]) -> frozenset[int]:
    """The loops of a scope that compute without gradients, in part or as a whole."""
    return frozenset(id(loop) for spot in seen if is_without_gradients(spot) for loop in loops_of(spot))


def is_without_gradients(spot: Spot) -> bool:
    """Whether a decorator of the function, or a block around an expression, switches gradients off."""
    node = None if spot.scope.function is None else spot.scope.function.node
    managers = [manager for one in spot.blocks if isinstance(one, ir.With) for manager, _ in one.items]
    decorators = () if node is None else node.decorators
    return any(last_name(one) in _NO_GRADIENTS for one in (*managers, *decorators))


def steps_of(files: Iterable[Iterable[tuple[Scope, Sequence[Spot]]]]) -> Steps:
    """The steps of training in files, each given as its scopes with their expressions."""
    objects: dict[str, set[str]] = {}  # names that hold what a call of a capitalised name gives, by that name
    bodies: list[_Body] = []
    for number, of_file in enumerate(files):
        for scope, found in of_file:
            bodies.append(_body(number, scope, found))
            for spot in found:
                maker = _maker(scope, spot.expr.func) if isinstance(spot.expr, ir.Call) else ""
                if maker[:1].isupper() and (bound := bound_to(spot)):
                    objects.setdefault(maker, set()).update(name.rpartition(".")[2] for name in bound)
    return _Search(bodies, objects).steps()


def _maker(scope: Scope, func: ir.Expr) -> str:
    """The name of what is called; of a class that is imported under another name its own."""
    meaning = scope.meaning(func) if isinstance(func, ir.Name) else None
    if isinstance(meaning, External):
        return meaning.name.rpartition(".")[2]
    cls = meaning.cls if isinstance(meaning, ClassRef) else None
    return cls.node.name if isinstance(cls, ClassInfo) else last_name(func)


def _body(number: int, scope: Scope, found: Sequence[Spot]) -> _Body:
    node = None if scope.function is None else scope.function.node
    owner = scope.owner if scope.owner is not None and node is not None else None
    body = _Body(
        0 if node is None else id(node),
        number,
        "" if node is None else node.name,
        "" if owner is None else owner.node.name,
        owner is not None and owner.is_module,
    )
    for spot in found:
        if not isinstance(spot.expr, ir.Call):
            continue
        loop = id(loops_of(spot)[-1]) if loops_of(spot) else 0
        if is_method(spot.expr, "backward"):
            body.backward.append(loop)
        elif is_method(spot.expr, "step"):
            body.updates.add(loop)
        body.calls += _calls(spot, body.owner, loop)
    return body


def _calls(spot: Spot, owner: str, loop: int) -> Iterator[_Called]:
    assert isinstance(spot.expr, ir.Call)
    rare = bool(at_times(spot))
    called = [func_of(spot)]
    if spot.expr.args and spot.scope.name(spot.expr.func) == _PARTIAL:
        called.append(spot.expr.args[0])
    for func in called:
        if name := last_name(func):
            mine = isinstance(func, ir.Attr) and isinstance(func.value, ir.Name) and func.value.id == "self"
            yield _Called(name, owner if mine else "", isinstance(func, ir.Attr), loop, rare)


@dataclass(slots=True)
class _Search:
    """Follows calls by name: a method of the same class, a function of the same file, or the only one of its name."""

    bodies: Sequence[_Body]
    objects: dict[str, set[str]]
    by_name: dict[str, list[_Body]] = field(default_factory=dict)
    functions: set[int] = field(default_factory=set)
    loops: set[int] = field(default_factory=set)

    def __post_init__(self) -> None:
        for body in self.bodies:
            self.by_name.setdefault(body.name, []).append(body)
            if body.name == "__call__":
                for name in self.objects.get(body.owner, ()):
                    self.by_name.setdefault(name, []).append(body)

    def steps(self) -> Steps:
        """The functions and loops of all steps."""
        self._find_stepping()
        waiting = [body for body in self.bodies if body.key in self.functions]
        waiting += [one for body in self.bodies for one in self._called(body, self.loops)]
        done = {0}
        while waiting:
            body = waiting.pop()
            if body.key not in done:
                done.add(body.key)
                waiting += self._called(body, None)
        return Steps(frozenset(self.functions | done) - {0}, frozenset(self.loops - {0}))

    def _find_stepping(self) -> None:
        """Collect the functions of which one call makes a step, or a part of it, and the loops that make steps."""
        found: dict[int, _Body] = {}
        for body in self.bodies:
            for loop in body.backward:
                self.loops.add(loop)
                if body.key and (not loop or not body.updates):
                    found[body.key] = body
            if body.backward:
                self.loops |= body.updates
        waiting = list(found.values())
        callers: dict[str, list[tuple[_Body, _Called]]] = {}
        for body in self.bodies:
            for call in body.calls:
                callers.setdefault(call.name, []).append((body, call))
        while waiting:
            made = waiting.pop()
            self.functions.add(made.key)
            names = {made.name, *(self.objects.get(made.owner, ()) if made.name == "__call__" else ())}
            for caller, call in [one for name in names for one in callers.get(name, ())]:
                if made not in self._meant(caller, call):
                    continue
                self.loops.add(call.loop)
                if not call.loop and caller.key and caller.name != "__init__" and caller.key not in found:
                    found[caller.key] = caller
                    waiting.append(caller)

    def _called(self, body: _Body, loops: set[int] | None) -> Iterator[_Body]:
        """What a body calls in each pass, in some loops alone where they are given."""
        for call in body.calls:
            if not call.at_times and (loops is None or (call.loop and call.loop in loops)):
                yield from (one for one in self._meant(body, call) if one.key and not _is_forward(one))

    def _meant(self, caller: _Body, call: _Called) -> list[_Body]:
        named = self.by_name.get(call.name, [])
        if call.owner:
            return [one for one in named if one.owner == call.owner and one.file == caller.file] or _only(named)
        if call.is_attribute:
            return named if call.name not in _COMMON and len(named) <= _MOST_METHODS else []
        here = [one for one in named if one.file == caller.file and (not one.owner or one.name == "__call__")]
        return here or _only(named)


def _only(named: list[_Body]) -> list[_Body]:
    return named if len(named) == 1 else []


def _is_forward(body: _Body) -> bool:
    """Whether a body is what the interpreter judges: the computation of a model."""
    return body.is_layer and body.name == "forward"
