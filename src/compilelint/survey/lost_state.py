"""Changes of state that compiled code does not repeat: measured on Dynamo, each kind by its own small program.

Most mutations are replayed after the graph (attributes, globals, lists, dicts, class attributes). These are not.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from compilelint.events import Dropped, DroppedHow, Event
from compilelint.model import Confidence, Doubt
from compilelint.project.classes import FunctionInfo
from compilelint.survey.in_region import region
from compilelint.survey.scopes import Scope, Spot, expressions, own_expressions, statements
from compilelint.syntax import ir
from compilelint.syntax.walk import dotted_name, last_name
from compilelint.values import FunctionRef

_CACHES = frozenset({"functools.lru_cache", "functools.cache"})
_RANDOM = frozenset(
    """
    torch.rand torch.randn torch.randint torch.randperm torch.normal torch.rand_like torch.randn_like torch.bernoulli
    torch.multinomial
    """.split()
)


def dropped(found: list[Scope], seen: Mapping[Scope, Sequence[Spot]]) -> Iterator[Event]:
    """The lost changes of one file's scopes."""
    by_code = {id(scope.function): scope for scope in found if scope.function is not None}
    for scope in found:
        sure = region(scope)
        if sure is None:
            continue
        for spot in seen[scope]:
            if isinstance(spot.expr, ir.Call):
                yield from _dict_order(spot, spot.expr, seen[scope], sure)
                yield from _unfinished(spot, spot.expr, sure)
    for scope in by_code.values():
        yield from _cached(scope, found, seen)


# ------------------------------------------------------------------ containers


def _dict_order(spot: Spot, call: ir.Call, others: Sequence[Spot], sure: Confidence) -> Iterator[Event]:
    """`move_to_end`, and a `popitem` that is the only thing the function does with the dict."""
    func = call.func
    if not isinstance(func, ir.Attr) or func.name not in ("move_to_end", "popitem"):
        return
    key = dotted_name(func.value)
    where = _home(spot.scope, key)
    if not where:
        return
    uses = [one.expr for one in others if isinstance(one.expr, (ir.Name, ir.Attr)) and dotted_name(one.expr) == key]
    if func.name == "move_to_end":
        if where == "closure" or len(uses) > 1:
            yield Dropped(spot.site(), None, "reorder", key, "the order of the keys", sure)
        return
    # Any other look at the dict puts a guard on it; `last=` means an OrderedDict, which an attribute replays.
    alone = isinstance(spot.statement, ir.ExprStmt) and spot.statement.value is call and len(uses) == 1
    if alone and (where == "closure" or not call.keywords):
        yield Dropped(spot.site(), None, "popitem", key, "the removal", sure)


def _home(scope: Scope, key: str) -> str:
    """Where a container that outlives the call lives: `self`, `closure`; empty for all others (globals are right)."""
    head, _, rest = key.partition(".")
    function = scope.function
    if function is None or not head:
        return ""
    params = [p.name for p in function.node.params]
    if rest:
        return "self" if scope.owner is not None and params and head == params[0] else ""
    around = scope.parent
    while around is not None and around.function is not None:
        if head in around.names and head not in function.node.local_names:
            return "closure"
        around = around.parent
    return ""


# ------------------------------------------------------------------ generators


def _unfinished(spot: Spot, call: ir.Call, sure: Confidence) -> Iterator[Event]:
    """A generator with a `with` or `finally` around a `yield`, left before its end."""
    statement = spot.statement
    if isinstance(statement, ir.For) and statement.iterable is call and _leaves(statement):
        made, how = call, "the loop leaves it before its end"
    elif isinstance(call.func, ir.Name) and call.func.id == "next" and call.args and isinstance(call.args[0], ir.Call):
        made, how = call.args[0], "`next` takes only its first value"
    else:
        return
    function = _called(spot.scope, made)
    if function is not None and function.node.is_generator and _cleans_up(function.node):
        yield Dropped(spot.site(made), None, "unfinished-generator", last_name(made.func), how, sure)


def _called(scope: Scope, call: ir.Call) -> FunctionInfo | None:
    meaning = scope.meaning(call.func)
    if isinstance(meaning, FunctionRef):
        return meaning.code if isinstance(meaning.code, FunctionInfo) else None
    func = call.func
    if scope.owner is not None and isinstance(func, ir.Attr) and scope.function is not None:
        params = scope.function.node.params
        if params and isinstance(func.value, ir.Name) and func.value.id == params[0].name:
            return scope.owner.method(func.name)
    return None


def _leaves(loop: ir.For) -> bool:
    """Whether the body of a loop has a `break` of its own or a `return`."""
    for s, around in statements(loop.body):
        if isinstance(s, ir.Return):
            return True
        inner = any(isinstance(block, (ir.For, ir.While)) for block in around)
        if isinstance(s, ir.Jump) and s.kind == "break" and not inner:
            return True
    return False


def _cleans_up(node: ir.Function) -> bool:
    """Whether a `yield` stands inside a `with`, or a `try` that has a `finally`."""
    for s, around in statements(node.body):
        yields = any(isinstance(one, ir.Yield) and one.how != "await" for one in expressions(own_expressions(s)))
        if yields and any(isinstance(b, ir.With) or (isinstance(b, ir.Try) and b.final) for b in around):
            return True
    return False


# ---------------------------------------------------------------------- caches


def _cached(scope: Scope, found: list[Scope], seen: Mapping[Scope, Sequence[Spot]]) -> Iterator[Event]:
    """A function under `lru_cache` that changes state or draws random numbers, so that it matters how often it runs."""
    function = scope.function
    assert function is not None
    outside = scope.parent or scope
    if not any(outside.name(d.func if isinstance(d, ir.Call) else d) in _CACHES for d in function.node.decorators):
        return
    state = next(_outer_writes(scope, seen[scope]), "")
    drawn = next((name for spot in seen[scope] if (name := _draws(spot)) in _RANDOM), "")
    if not state and not drawn:
        return
    sure = Doubt.NOT_KNOWN_TO_BE_COMPILED.cap
    for other in found:
        if any(isinstance(s.expr, ir.Call) and _called(other, s.expr) is function for s in seen[other]):
            sure = max(sure, region(other) or Doubt.NOT_KNOWN_TO_BE_COMPILED.cap)
    how: DroppedHow = "cached-state" if state else "cached-random"
    yield Dropped(scope.site(function.node.head), None, how, function.node.name, state or drawn, sure)


def _draws(spot: Spot) -> str:
    return spot.scope.name(spot.expr.func) if isinstance(spot.expr, ir.Call) else ""


def _outer_writes(scope: Scope, seen: Sequence[Spot]) -> Iterator[str]:
    """Outer state that a function changes: attributes of `self`, globals and nonlocals."""
    function = scope.function
    assert function is not None
    params = function.node.params
    first = params[0].name if params and scope.owner is not None else ""
    outer = {name for s, _ in statements(scope.body) if isinstance(s, ir.Scope) for name in s.names}
    for s, _ in statements(scope.body):
        targets = s.targets if isinstance(s, ir.Assign) else (s.target,) if isinstance(s, ir.AugAssign) else ()
        for target in targets:
            name = dotted_name(target)
            if name in outer or (first and name.startswith(f"{first}.")):
                yield name
