"""Chained comparisons of tensors, and tests of a number that was chosen by a tensor.

`a <= t <= b` asks for the truth of its first link; both links joined by `&` are one tensor. A choice between two Python
numbers can only pass a test that one of them passes, which is known while tracing.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Iterator, Mapping

from compilelint.fixes.engine.code import Code, is_store, names_in
from compilelint.fixes.engine.imports import spelled_target
from compilelint.fixes.engine.lazy_cst import cst
from compilelint.fixes.engine.purity import is_pure
from compilelint.fixes.engine.registry import rewrite
from compilelint.model import Edit, Finding, Fix, Safety, Span

_TESTS: Mapping[type[ast.cmpop], Callable[[float, float], bool]] = {
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.NotEq: operator.ne,
    ast.Eq: operator.eq,
}
_OF_NUMBERS = frozenset({"min", "max", "abs", "float", "int", "round"})


@rewrite("branch", rank=10, rules=("CL101",))
def joined_comparison(finding: Finding, code: Code) -> Iterator[Fix]:
    """`low <= x <= high` becomes `(low <= x) & (x <= high)`.

    Legal where the comparison is not itself what an `if`, `while`, `and`, `or` or `not` tests, and is tensor math, so
    that the middle may be computed twice. Changes: every link is computed, and the result is a tensor of bools.
    """
    known, span = finding.rewrite, finding.location.span
    path = code.path(span)
    node, above = path[-1], path[-2:-1]
    if known is None or known.fact("dtype") != "bool" or known.fact("array") or not isinstance(node, ast.Compare):
        return
    if len(node.ops) < 2 or code.span(node) != span or not is_pure(node, code) or not above:
        return
    if isinstance(above[0], (ast.If, ast.While, ast.IfExp, ast.BoolOp, ast.UnaryOp)):
        return
    statement = next((one for one in reversed(path) if isinstance(one, ast.stmt)), None)
    piece = None if statement is None else code.piece(statement, span)
    if piece is None or not isinstance(piece.node, cst.Comparison):
        return
    made = joined(piece.node)
    if made is not None:
        alone = isinstance(above[0], (ast.Assign, ast.Return, ast.Assert, ast.Call))
        yield Fix(
            Safety.UNSAFE,
            "compare twice and join with `&`",
            piece.replaced(piece.node, made if alone else _in_parentheses(made)),
        )


def joined(node: cst.BaseExpression) -> cst.BaseExpression | None:
    """A chain of comparisons as one tensor; anything else as it is, None where a comment stands inside."""
    if not isinstance(node, cst.Comparison) or len(node.comparisons) < 2:
        return node
    if "#" in cst.Module([]).code_for_node(node):
        return None
    made: cst.BaseExpression | None = None
    left = node.left
    for link in node.comparisons:
        one = _in_parentheses(cst.Comparison(left, [link]))
        made = one if made is None else cst.BinaryOperation(made, cst.BitAnd(), one)
        left = link.comparator
    return made


def _in_parentheses(node: cst.BaseExpression) -> cst.BaseExpression:
    made = node.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()])
    assert isinstance(made, cst.BaseExpression), "parentheses do not change the kind"
    return made


@rewrite("branch", rank=11, rules=("CL101",))
def numbers_first(finding: Finding, code: Code) -> Iterator[Fix]:
    """`if g > 0:`, where `g = torch.where(c, n, 0.0)`, becomes `if n > 0 and g > 0:`; the number `n` is asked first.

    Legal where `g` is assigned once, both sides are Python numbers (constants, parameters annotated `int` or `float`,
    lengths, and arithmetic of these) that nothing changes in between, and the constant ones fail the test. Changes: no
    result; the branch stays, and breaks the graph, where a number passes the test.
    """
    span = finding.location.span
    path = code.path(span)
    node = next((one for one in reversed(path) if isinstance(one, ast.stmt)), None)
    function = code.function(span)
    if not isinstance(node, ast.If) or function is None or not isinstance(node.test, ast.Compare):
        return
    test = node.test
    bound = test.comparators[0]
    if len(test.ops) != 1 or type(test.ops[0]) not in _TESTS or not isinstance(test.left, ast.Name):
        return
    if not isinstance(bound, ast.Constant) or not isinstance(bound.value, (int, float)):
        return
    sides = _sides(test.left.id, node, function, path, code)
    tested, left = code.text(test), code.text(test.left)
    if sides is None or tested is None or left is None or code.piece(node, code.span(test)) is None:
        return
    open_ones = []
    for side in sides:
        number = code.text(side)
        if number is None:
            return
        if isinstance(side, ast.Constant) and isinstance(side.value, (int, float)):
            if _TESTS[type(test.ops[0])](side.value, bound.value):
                return
        else:
            open_ones.append(f"{number} {tested[len(left) :].strip()}")
    if open_ones:
        text = open_ones[0] if len(open_ones) == 1 else f"({' or '.join(open_ones)})"
        at = code.span(test)
        edit = Edit(Span(at.line, at.column, at.line, at.column), f"{text} and ")
        yield Fix(Safety.UNSAFE, "ask first whether the numbers can pass the test", (edit,))


def _sides(
    name: str, node: ast.If, function: ast.AST, path: list[ast.AST], code: Code
) -> tuple[ast.expr, ast.expr] | None:
    """The two numbers that a name was chosen from, in a statement of the same block with only tensor math between."""
    stores = list(names_in(function, lambda one: one.id == name and is_store(one)))
    above = path[path.index(node) - 1]
    block = next((one for one in (getattr(above, "body", []), getattr(above, "orelse", [])) if node in one), [])
    made = next((one for one in block if isinstance(one, ast.Assign) and one.targets[0] in stores), None)
    if len(stores) != 1 or made is None or len(made.targets) != 1 or not isinstance(made.value, ast.Call):
        return None
    between = block[block.index(made) + 1 : block.index(node)]
    if not all(isinstance(one, ast.Assign) and is_pure(one.value, code) for one in between):
        return None
    call = made.value
    if spelled_target(call.func, code) != "torch.where" or len(call.args) != 3 or call.keywords:
        return None
    sides = call.args[1], call.args[2]
    return sides if all(_is_number(side, function) for side in sides) else None


def _is_number(node: ast.expr, function: ast.AST) -> bool:
    """Whether an expression is a Python number for certain, the same as long as no name in it is bound again."""
    if isinstance(node, ast.Constant):
        return isinstance(node.value, (int, float)) and not isinstance(node.value, bool)
    if isinstance(node, ast.BinOp):
        return _is_number(node.left, function) and _is_number(node.right, function)
    if isinstance(node, ast.UnaryOp):
        return _is_number(node.operand, function)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and not node.keywords:
        if node.func.id == "len":
            return len(node.args) == 1 and isinstance(node.args[0], (ast.Name, ast.Attribute))
        return node.func.id in _OF_NUMBERS and all(_is_number(one, function) for one in node.args)
    if not isinstance(node, ast.Name) or any(names_in(function, lambda one: one.id == node.id and is_store(one))):
        return False
    given = next((one for one in ast.walk(function) if isinstance(one, ast.arg) and one.arg == node.id), None)
    return given is not None and given.annotation is not None and ast.unparse(given.annotation) in ("int", "float")
