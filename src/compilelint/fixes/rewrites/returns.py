"""A branch on a tensor that returns on both ways becomes one `return torch.where(condition, a, b)`. Unsafe, as in
`branches`: both sides are computed.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from compilelint.fixes.engine.beliefs import Beliefs
from compilelint.fixes.engine.code import Code
from compilelint.fixes.engine.imports import spell
from compilelint.fixes.engine.laws import Alike, IsTensor, Offer
from compilelint.fixes.engine.lazy_cst import cst
from compilelint.fixes.engine.purity import is_pure
from compilelint.fixes.engine.registry import rewrite
from compilelint.fixes.engine.safe_operands import with_safe_divisors
from compilelint.fixes.rewrites.branches import (
    can_be_chosen,
    condition_of,
    guards_an_index,
    is_the_test,
)
from compilelint.model import Edit, Finding, Fix, Safety, Span


@rewrite("branch", rank=3, rules=("CL101",))
def chosen_return(finding: Finding, code: Code) -> Iterator[Offer]:
    """`if condition: return a`, followed by `return b` or with it as `else`, becomes one return.

    Legal where the condition is a bool tensor, and both values are tensor math or numbers, neither None nor text.
    Changes: both values are computed, and a number becomes a tensor.
    """
    span = finding.location.span
    path = code.path(span)
    node = next((one for one in reversed(path) if isinstance(one, ast.stmt)), None)
    if not isinstance(node, ast.If) or len(node.body) != 1 or not is_the_test(node.test, span, finding, code):
        return
    other = _other_way(node, path)
    sides_read = _both_sides(node, other, code)
    if sides_read is None or other is None:
        return
    yes, no = sides_read
    where = spell(code, "torch.where", span)
    piece = code.piece(node, code.span(node))
    statement = None if piece is None else piece.statement()
    if where is None or piece is None or not isinstance(statement, cst.If):
        return
    test = condition_of(code, finding, node.test, statement.test)
    value = _returned(statement.body)
    if test is None or value is None:
        return
    behind = code.text(no)
    comments = [code.source.line(line) for line in range(node.lineno, (other.end_lineno or other.lineno) + 1)]
    if behind is None or any("#" in line for line in comments[1:-1]) or "\n" in behind:
        return
    sides = [with_safe_divisors(one, node.test, test, where.text) for one in (value, cst.parse_expression(behind))]
    made = cst.Call(cst.parse_expression(where.text), [cst.Arg(test), *map(cst.Arg, sides)])
    body = statement.body
    trailing = body.header if isinstance(body, cst.IndentedBlock) else cst.TrailingWhitespace()
    line = cst.SimpleStatementLine([cst.Return(made)], statement.leading_lines, trailing)
    edits = [*where.edits, *piece.replaced(statement, line)]
    if other not in node.orelse:
        last = other.end_lineno or other.lineno
        edits.append(Edit(Span((node.end_lineno or 0) + 1, 1, last + 1, 1), ""))
    fix = Fix(Safety.UNSAFE, "compute both sides and return `torch.where`", tuple(edits))
    yield Offer(fix, (IsTensor(node.test), Alike(yes, no, node.test, Beliefs(finding, code))))


def _both_sides(node: ast.If, other: ast.stmt | None, code: Code) -> tuple[ast.expr, ast.expr] | None:
    """The values that are returned on both ways, if one can be chosen once both are computed."""
    first = node.body[0]
    if not isinstance(first, ast.Return) or not isinstance(other, ast.Return):
        return None
    yes, no = first.value, other.value
    if yes is None or no is None or not (is_pure(yes, code) and is_pure(no, code) and can_be_chosen(yes, no)):
        return None
    return None if guards_an_index(node.test, yes, no) else (yes, no)


def _other_way(node: ast.If, path: list[ast.AST]) -> ast.stmt | None:
    """What runs where the condition is false: the `else`, or the statement that follows."""
    if node.orelse:
        return node.orelse[0] if len(node.orelse) == 1 else None
    above = path[path.index(node) - 1]
    for name in ("body", "orelse", "finalbody"):
        block = getattr(above, name, None)
        if isinstance(block, list) and node in block[:-1]:
            follower: ast.stmt = block[block.index(node) + 1]
            return follower
    return None


def _returned(body: cst.BaseSuite) -> cst.BaseExpression | None:
    """The value of the only `return` of a block."""
    if not isinstance(body, cst.IndentedBlock) or body.footer:
        return None
    line = body.body[0]
    if not isinstance(line, cst.SimpleStatementLine) or not isinstance(line.body[0], cst.Return) or line.leading_lines:
        return None
    return line.body[0].value
