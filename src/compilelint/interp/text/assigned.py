"""What a function assigns to its local variables, read off its source."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from compilelint.survey.scopes import statements
from compilelint.syntax import ir

if TYPE_CHECKING:
    from compilelint.interp.core.frame import Frame


def assigned_in(f: Frame) -> dict[str, list[tuple[int, ir.Expr]]]:
    """What the function assigns to its local variables, and where; gathered once a function."""
    if f.function is None:
        return {}
    node = f.function.node
    known = f.interp.assigned.get(id(node))
    if known is None:
        known = f.interp.assigned[id(node)] = {}
        for s, _ in statements(node.body):
            if isinstance(s, ir.Assign):
                for target in s.targets:
                    for one, value in _pairs(target, s.value):
                        known.setdefault(one.id, []).append((s.pos, value))
    return known


def _pairs(target: ir.Expr, value: ir.Expr) -> Iterator[tuple[ir.Name, ir.Expr]]:
    """The names that an assignment binds, each with its own expression: `a, b = [x], y`."""
    if isinstance(target, ir.Name):
        yield target, value
    elif isinstance(target, ir.Display) and isinstance(value, ir.Display) and len(target.items) == len(value.items):
        starred = any(isinstance(item, ir.Star) for item in (*target.items, *value.items))
        for one, part in zip(target.items, value.items, strict=True) if not starred else ():
            yield from _pairs(one, part)
