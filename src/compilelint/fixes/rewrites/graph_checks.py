"""Checks that PyTorch makes by reading a tensor on the host: the same check as an operation of the graph."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from compilelint.fixes.engine.code import Code
from compilelint.fixes.engine.imports import Spelled, spell
from compilelint.fixes.engine.laws import Offer, OnlyRuns
from compilelint.fixes.engine.lazy_cst import cst
from compilelint.fixes.engine.registry import rewrite
from compilelint.fixes.rewrites.compiling_guards import own_statement
from compilelint.model import Finding, Fix, Safety


@rewrite("host-read", rank=3, rules=("CL102",))
def checked_in_graph(finding: Finding, code: Code) -> Iterator[Offer]:
    """`torch._check_tensor_all(condition)` becomes `torch._assert_async(torch.all(condition))`, which is traced.

    Legal where the call is a statement of its own with the condition alone, or with a message that is
    `lambda: "text"`, which stays. Changes: on a device it is raised later, and the program cannot catch it; without a
    message its text is another.
    """
    span = finding.location.span
    statement = own_statement(span, code, ast.Expr)
    if not isinstance(statement, ast.Expr) or not isinstance(statement.value, ast.Call):
        return
    call = statement.value
    if code.span(call) != span or call.keywords or not _has_plain_message(call):
        return
    every = spell(code, "torch.all", span) or _named_like(call.func, "all")
    if not isinstance(call.func, ast.Attribute) or call.func.attr != "_check_tensor_all" or every is None:
        return
    piece = code.piece(statement, span)
    if piece is None or not isinstance(piece.node, cst.Call) or not isinstance(piece.node.func, cst.Attribute):
        return
    condition, *message = piece.node.args
    inner = cst.Call(cst.parse_expression(every.text), [cst.Arg(condition.value)])
    said = [one.with_changes(value=one.value.body) for one in message if isinstance(one.value, cst.Lambda)]
    made = piece.node.with_changes(
        func=piece.node.func.with_changes(attr=cst.Name("_assert_async")),
        args=[condition.with_changes(value=inner), *said],
    )
    yield Offer(
        Fix(Safety.UNSAFE, "assert it in the graph", (*every.edits, *piece.replaced(piece.node, made))),
        (OnlyRuns("another exception is raised"),),
    )


def _has_plain_message(call: ast.Call) -> bool:
    """Whether a call has one argument, or a second one that is `lambda: "text"`."""
    if not 1 <= len(call.args) <= 2 or isinstance(call.args[0], ast.Starred):
        return False
    message = call.args[-1]
    said = message.body if isinstance(message, ast.Lambda) and not ast.unparse(message.args) else None
    return len(call.args) == 1 or (isinstance(said, ast.Constant) and isinstance(said.value, str))


def _named_like(function: ast.expr, name: str) -> Spelled | None:
    """The sibling of a function that is spelled with a plain name before the dot: `torch._check` and `torch.all`."""
    if isinstance(function, ast.Attribute) and isinstance(function.value, ast.Name):
        return Spelled(f"{function.value.id}.{name}")
    return None
