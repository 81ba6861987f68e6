"""Guards of statements that follow each other: one `if not torch.compiler.is_compiling():` over both.

Each fix puts its own statement under a guard, since it knows of no other; side by side they read as one. Only guards
that fixes brought are joined. Does not belong here: what is put under a guard (`rewrites.compiling_guards`).
"""

from __future__ import annotations

import ast
import itertools
from collections.abc import Iterator

_WORD = "is_compiling"


def with_joined_guards(before: str, text: str) -> str:
    """A text that fixes made of another, with guards joined that stand side by side and did not before.

    Both are given as lines parted by newlines; where the new text does not parse it stays as it is.
    """
    if text.count(_WORD) <= before.count(_WORD) or text.count(_WORD) < 2:
        return text
    lines = text.split("\n")
    old = before.split("\n")
    there = {_reads(old, at) for at in _second_headers(before)}
    for at in sorted(_second_headers(text), reverse=True):
        if _reads(lines, at) not in there:
            del lines[at]
    return "\n".join(lines)


def _reads(lines: list[str], at: int) -> tuple[str, ...]:
    """A header and the line below it."""
    return tuple(lines[at : at + 2])


def _second_headers(text: str) -> list[int]:
    """Where, counted from 0, a guard stands right behind a guard of the same words; each header has its own line."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError):
        return []
    lines = text.split("\n")
    return [
        other.lineno - 1
        for node in ast.walk(tree)
        for name in ("body", "orelse", "finalbody")
        for one, other in _pairs(getattr(node, name, None))
        if _is_guard(one) and _is_guard(other) and other.lineno == (one.end_lineno or 0) + 1
        if lines[one.lineno - 1] == lines[other.lineno - 1] and _indent(one, lines) == _indent(other, lines)
    ]


def _pairs(block: object) -> Iterator[tuple[ast.stmt, ast.stmt]]:
    return itertools.pairwise(block if isinstance(block, list) else [])


def _is_guard(node: ast.stmt) -> bool:
    """`if not torch.compiler.is_compiling():` on a line of its own, and nothing else than its body."""
    if not isinstance(node, ast.If) or node.orelse or node.body[0].lineno != node.test.lineno + 1:
        return False
    test = node.test.operand if isinstance(node.test, ast.UnaryOp) and isinstance(node.test.op, ast.Not) else None
    return isinstance(test, ast.Call) and not test.args and ast.unparse(test.func).endswith(_WORD)


def _indent(node: ast.stmt, lines: list[str]) -> str:
    first = lines[node.lineno] if isinstance(node, ast.If) else ""
    return first[: len(first) - len(first.lstrip())]
