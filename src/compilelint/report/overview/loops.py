"""Which lines run many times a call: those in a loop."""

from __future__ import annotations

import ast
from typing import TypeAlias

from compilelint.syntax.parse import statements

Loops: TypeAlias = tuple[tuple[int, int], ...]


def loops_of(tree: ast.Module) -> Loops:
    """The bodies of the loops of a file, as first and last lines; functions and classes defined in one count too."""
    loops = [one for one, _ in statements(tree) if isinstance(one, (ast.For, ast.AsyncFor, ast.While))]
    return tuple((one.body[0].lineno, one.body[-1].end_lineno or one.body[-1].lineno) for one in loops)
