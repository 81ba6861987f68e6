"""Reading IR: the statements of a body with the blocks in it, and the names that expressions spell.

Does not belong here: what a name means (`project`), what an expression holds (`interp`).
"""

from __future__ import annotations

from collections.abc import Iterator

from compilelint.syntax import ir


def statements_of(body: ir.Body) -> Iterator[ir.Stmt]:
    """Every statement of a body and of the blocks in it, functions and classes not entered; iterative."""
    stack = [iter(body)]
    while stack:
        for s in stack[-1]:
            yield s
            if s.__class__ in WITH_BLOCKS:
                stack.extend([iter(b) for b in reversed(blocks_of(s))])
                break
        else:
            stack.pop()


WITH_BLOCKS = frozenset((ir.If, ir.For, ir.While, ir.Try, ir.With, ir.Match))
"""The statements that `blocks_of` finds bodies in: one statement in ten, so it pays to ask before."""


def blocks_of(s: ir.Stmt) -> list[ir.Body]:
    """The bodies nested in a statement, in order."""
    if isinstance(s, ir.If):
        return [*(b for _, b in s.arms), s.other]
    if isinstance(s, (ir.For, ir.While)):
        return [s.body, s.other]
    if isinstance(s, ir.Try):
        return [s.body, *(h.body for h in s.handlers), s.other, s.final]
    if isinstance(s, ir.With):
        return [s.body]
    if isinstance(s, ir.Match):
        return [c.body for c in s.cases]
    return []


def last_name(expr: ir.Expr) -> str:
    """`cached_property` of `functools.cached_property` and of `functools.cached_property(...)`."""
    if isinstance(expr, ir.Call):
        expr = expr.func
    if isinstance(expr, ir.Attr):
        return expr.name
    return expr.id if isinstance(expr, ir.Name) else ""


def dotted_name(expr: ir.Expr) -> str:
    """`a.b.c` for a chain of attributes on a name, "" for anything else."""
    parts: list[str] = []
    while isinstance(expr, ir.Attr):
        parts.append(expr.name)
        expr = expr.value
    if not isinstance(expr, ir.Name):
        return ""
    return ".".join([expr.id, *reversed(parts)])
