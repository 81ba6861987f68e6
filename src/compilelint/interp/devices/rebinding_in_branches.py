"""Names that hold a new tensor on one way to a line, and what they held before on another.

A loop over layers runs as often as there are layers, and arms of a test that set a name and a flag go together with a
later test of the flag: of what is written in place there, nothing says that it is the argument. Read off the text of
one function.
"""

from __future__ import annotations

from collections.abc import Iterator

from compilelint.interp.core.origin_steps import OFTEN_ITSELF, VIEWS
from compilelint.project.classes import FunctionInfo
from compilelint.survey.scopes import expressions, own_expressions
from compilelint.syntax import ir, places
from compilelint.syntax.facts import fact
from compilelint.syntax.walk import statements_of

_SHARED = frozenset(name.lstrip(".") for name in VIEWS | OFTEN_ITSELF)


def perhaps_new(function: FunctionInfo | None, pos: int) -> bool:
    """Whether what is written at a place of the function goes by a name that other lines above give a new tensor."""
    return function is not None and pos in fact(function.node, _perhaps_new)


def _perhaps_new(node: ir.Function) -> frozenset[int]:
    """The places of the writes."""
    made: dict[str, int] = {}
    for s in statements_of(node.body):
        for target in s.targets if isinstance(s, ir.Assign) else ():
            if isinstance(target, ir.Name) and isinstance(s, ir.Assign) and _is_new(s.value):
                made.setdefault(target.id, places.line_of(s.pos))
    if not made:
        return frozenset()
    return frozenset(
        pos
        for s in statements_of(node.body)
        for name, pos in _writes(s)
        if name in made and made[name] < places.line_of(pos)
    )


def _is_new(value: ir.Expr) -> bool:
    """Whether an expression makes a tensor of its own: computed, or by a call that is no view and no conversion."""
    if isinstance(value, ir.Call):
        return not (isinstance(value.func, ir.Attr) and value.func.name in _SHARED)
    return isinstance(value, ir.Binary)


def _writes(s: ir.Stmt) -> Iterator[tuple[str, int]]:
    """The names whose tensors a statement writes in place, with the places that stand for the write."""
    if isinstance(s, ir.AugAssign):
        yield _base(s.target), s.pos
        yield _base(s.target), s.target.pos
    elif isinstance(s, ir.Assign):
        for target in s.targets:
            if isinstance(target, ir.Index):
                yield _base(target), s.pos
                yield _base(target), target.pos
    for one in expressions(own_expressions(s)):
        if isinstance(one, ir.Call) and isinstance(one.func, ir.Attr) and one.func.name.endswith("_"):
            yield _base(one.func.value), one.pos
            yield _base(one.func.value), one.func.pos


def _base(expr: ir.Expr) -> str:
    """The name before indices: `x` of `x[0][1]`."""
    while isinstance(expr, ir.Index):
        expr = expr.value
    return expr.id if isinstance(expr, ir.Name) else ""
