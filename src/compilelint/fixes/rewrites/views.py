"""Views and sizes: `view` where memory forbids it, and sizes that a call would otherwise read from data. All unsafe."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from compilelint.fixes.engine.code import Code
from compilelint.fixes.engine.lazy_cst import cst
from compilelint.fixes.engine.registry import rewrite
from compilelint.model import Finding, Fix, Safety


@rewrite("view", rank=1, rules=("CL401",))
def reshaped(finding: Finding, code: Code) -> Iterator[Fix]:
    """`x.view(...)` becomes `x.reshape(...)`.

    Legal where `x` is known to be permuted so that the view would merge dimensions that are not adjacent in memory.
    Changes: where the view raised there is a copy, and a write into it does not reach `x`; elsewhere it stays a view.
    """
    span = finding.location.span
    path = code.path(span)
    call = next((one for one in reversed(path) if isinstance(one, ast.Call)), None)
    statement = next((one for one in reversed(path) if isinstance(one, ast.stmt)), None)
    if call is None or statement is None or code.span(call) != span:
        return
    if not isinstance(call.func, ast.Attribute) or call.func.attr != "view":
        return
    piece = code.piece(statement, span)
    if piece is None or not isinstance(piece.node, cst.Call) or not isinstance(piece.node.func, cst.Attribute):
        return
    new = piece.node.with_deep_changes(piece.node.func, attr=cst.Name("reshape"))
    assert isinstance(new, cst.Call), "a changed name leaves the call a call"
    yield Fix(Safety.UNSAFE, "reshape, which copies where it must", piece.replaced(piece.node, new))


# ---------------------------------------------------------------------- parts
