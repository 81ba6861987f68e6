"""Chained comparisons of tensors: `a <= t <= b` asks its first link for truth; joined by `&` it is one tensor."""

from __future__ import annotations

from compilelint.fixes.engine.lazy_cst import cst


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
