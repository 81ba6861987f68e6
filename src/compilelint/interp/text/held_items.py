"""Which argument of a function an expression or a variable is an item of, by the text of the body alone.

`for state in states`, `cache["k"]`: the caller holds what is written there. Nothing is said of a parameter that the
body binds again. Does not belong here: whether the item is a tensor (`usage`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from compilelint.interp.text.usage import names_bound
from compilelint.project.classes import FunctionInfo
from compilelint.syntax import ir
from compilelint.syntax.facts import fact
from compilelint.syntax.walk import blocks_of

_PASSING_ON = frozenset({"enumerate", "zip", "reversed", "list", "tuple", "iter"})
_OF_A_DICT = frozenset({"values", "items", "get"})


def holder(function: FunctionInfo, expr: ir.Expr) -> str:
    """The parameter that an expression is, or is an item of; empty where that is not seen."""
    return next((holder_of_name(function, name) for name in _names_behind(expr)), "")


def holder_of_name(function: FunctionInfo, name: str) -> str:
    """The parameter that a variable is, or always holds an item of; empty where that is not seen."""
    return fact(function.node, _holders).get(name, "")


def _holders(node: ir.Function) -> Mapping[str, str]:
    """Of each variable that only ever holds items of one parameter, and of each parameter itself: that parameter."""
    params = {p.name for p in node.params if p.kind in ("positional", "either", "keyword")}
    bound: dict[str, set[str]] = {}
    for name, source in _bindings(node.body):
        bound.setdefault(name, set()).add(source)
    held = {name: name for name in params if name not in bound}
    for name, sources in bound.items():
        found = {held.get(source, "") for source in sources}
        if name not in params and len(found) == 1 and "" not in found:
            held[name] = found.pop()
    return held


def _bindings(body: ir.Body) -> Iterator[tuple[str, str]]:
    """Each name that is bound, with the name of what it takes an item out of; empty where it is bound otherwise."""
    bodies = [body]
    while bodies:
        for s in bodies.pop():
            bodies.extend(blocks_of(s))
            if isinstance(s, ir.For):
                sources = list(_names_behind(s.iterable))
                yield from _pairs(s.target, sources)
            elif isinstance(s, ir.Assign):
                for target in s.targets:
                    taken = list(_names_behind(s.value)) if isinstance(s.value, (ir.Index, ir.Name)) else [""]
                    yield from _pairs(target, taken)
            elif isinstance(s, (ir.AugAssign, ir.AnnAssign)):
                yield from ((name, "") for name in names_bound(s.target))
            elif isinstance(s, ir.With):
                yield from ((name, "") for _, target in s.items if target is not None for name in names_bound(target))


def _pairs(target: ir.Expr, sources: list[str]) -> Iterator[tuple[str, str]]:
    """Where several things are walked over together, the names take their items in turn, if as many are seen."""
    names = list(names_bound(target))
    if len(sources) == len(names):
        yield from zip(names, sources, strict=True)
    else:
        yield from ((name, sources[0] if len(sources) == 1 else "") for name in names)


def _names_behind(expr: ir.Expr) -> Iterator[str]:
    """The names at the roots of `cache["k"]`, `states`, `zip(a, b)`, `cache.values()`; an empty one for all else."""
    while isinstance(expr, ir.Index):
        expr = expr.value
    if isinstance(expr, ir.Name):
        yield expr.id
    elif isinstance(expr, ir.Call) and isinstance(expr.func, ir.Name) and expr.func.id in _PASSING_ON:
        for one in expr.args:
            yield from _names_behind(one)
    elif isinstance(expr, ir.Call) and isinstance(expr.func, ir.Attr) and expr.func.name in _OF_A_DICT:
        yield from _names_behind(expr.func.value)
    else:
        yield ""
