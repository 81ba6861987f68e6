"""Which lines of a factory something reads: the rest of a script's options is left out."""

from __future__ import annotations

import ast
import itertools
from collections.abc import Iterator, Sequence


def names_read(nodes: Sequence[ast.AST], name: str) -> Iterator[str]:
    """The attributes that are read of a name in some nodes; an empty text where it is used as a whole."""
    for node in nodes:
        inside = {id(one.value): one for one in ast.walk(node) if isinstance(one, ast.Attribute)}
        for one in ast.walk(node):
            if isinstance(one, ast.Name) and one.id == name and isinstance(one.ctx, ast.Load):
                around = inside.get(id(one))
                if around is None or isinstance(around.ctx, ast.Load):
                    yield around.attr if around is not None else ""


def needed(statements: Sequence[ast.stmt], last: Sequence[ast.AST]) -> list[ast.stmt]:
    """The statements without those that set what nothing reads."""
    kept = [*statements]
    while True:
        read = [_is_read(one, [*kept[:at], *kept[at + 1 :], *last]) for at, one in enumerate(kept)]
        if all(read):
            return kept
        kept = [*itertools.compress(kept, read)]


def _is_read(statement: ast.stmt, others: Sequence[ast.AST]) -> bool:
    target = statement.targets[0] if isinstance(statement, ast.Assign) else None
    if isinstance(target, ast.Name):
        return any(isinstance(one, ast.Name) and one.id == target.id for node in others for one in ast.walk(node))
    if isinstance(target, ast.Attribute) and isinstance(target.value, ast.Name):
        return bool({"", target.attr} & {*names_read(others, target.value.id)})
    return True
