"""Calls with a twin that Dynamo traces: the same result by another name."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from compilelint.fixes.engine.code import Code
from compilelint.fixes.engine.imports import spelled_target
from compilelint.fixes.engine.lazy_cst import cst
from compilelint.fixes.engine.registry import rewrite
from compilelint.model import Edit, Finding, Fix, Safety, Span


@rewrite("copy", rank=1, rules=("CL608",))
def own_copy(finding: Finding, code: Code) -> Iterator[Fix]:
    """`copy.copy(d)` becomes `d.copy()`.

    Legal where the engine knows a plain dict, list or set, whose `copy` is what `copy.copy` calls. Changes: nothing.
    """
    known = finding.rewrite
    call = _call(finding.location.span, code)
    if known is None or not known.fact("plain") or call is None or len(call.args) != 1 or call.keywords:
        return
    if spelled_target(call.func, code) != "copy.copy" or isinstance(call.args[0], ast.Starred):
        return
    statement = _statement(finding.location.span, code)
    piece = None if statement is None else code.piece(statement, code.span(call))
    if piece is None or not isinstance(piece.node, cst.Call):
        return
    value = piece.node.args[0].value
    if not isinstance(value, (cst.Name, cst.Attribute, cst.Call, cst.Subscript, cst.Dict, cst.List, cst.Set)):
        return
    made = cst.Call(cst.Attribute(value, cst.Name("copy")), lpar=piece.node.lpar, rpar=piece.node.rpar)
    yield Fix(Safety.SAFE, "use its own `copy`", piece.replaced(piece.node, made))


@rewrite("unused-pragma", rank=1, rules=("CL902",))
def no_pragma(finding: Finding, code: Code) -> Iterator[Fix]:
    """A suppression that suppresses nothing is deleted, with the comment if nothing else stands in it.

    Legal where all codes it names are unused, which the finding says. Changes: a comment only.
    """
    span = finding.location.span
    line = code.source.line(span.line)
    comment = line[span.column - 1 : span.end_column - 1]
    if span.line != span.end_line or not comment.startswith("#") or span.end_column - 1 != len(line.rstrip()):
        return
    before = line[: span.column - 1].rstrip()
    if before:
        yield Fix(
            Safety.SAFE,
            "delete the suppression",
            (Edit(Span(span.line, len(before) + 1, span.line, len(line) + 1), ""),),
        )
    else:
        yield Fix(Safety.SAFE, "delete the suppression", (Edit(Span(span.line, 1, span.line + 1, 1), ""),))


def _call(span: Span, code: Code) -> ast.Call | None:
    """The call that stands at a span."""
    node = next((one for one in reversed(code.path(span)) if isinstance(one, ast.Call)), None)
    return node if node is not None and code.span(node) == span else None


def _statement(span: Span, code: Code) -> ast.stmt | None:
    return next((one for one in reversed(code.path(span)) if isinstance(one, ast.stmt)), None)
