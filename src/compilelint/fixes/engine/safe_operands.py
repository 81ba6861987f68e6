"""Operands of a side that is computed in vain: a divisor and an index that the test kept safe are made safe again.

Where an `if` becomes a `torch.where`, both sides run. What the test guarded is replaced, where its side is not taken,
by a value that neither raises nor leaves NaN in a gradient. Does not belong here: whether a side may run at all
(`purity`, `laws`).
"""

from __future__ import annotations

import ast
from typing import TypeVar

from compilelint.fixes.engine.lazy_cst import cst, transformer

Side = TypeVar("Side", "cst.BaseExpression", "cst.BaseSuite")

_AT_ZERO = (ast.Eq, ast.NotEq, ast.Gt)  # which leave out 0 on the side that divides


def with_safe_divisors(
    side: cst.BaseExpression, tested: ast.expr, test: cst.BaseExpression, where: str
) -> cst.BaseExpression:
    """`a / n`, where the test compares `n` with 0, divides by `torch.where(test, 1, n)` (or `n, 1`) instead.

    Computed in vain, the division by 0 would leave NaN in the gradients, although its value is not chosen.
    """
    if not isinstance(tested, ast.Compare) or len(tested.ops) != 1 or type(tested.ops[0]) not in _AT_ZERO:
        return side
    if not isinstance(tested.left, (ast.Name, ast.Attribute)) or not _is_zero(tested.comparators[0]):
        return side
    name = ast.unparse(tested.left)
    sides = [cst.Arg(cst.Integer("1")), cst.Arg(cst.parse_expression(name))]
    chosen = sides if isinstance(tested.ops[0], ast.Eq) else sides[::-1]
    safe = cst.Call(cst.parse_expression(where), [cst.Arg(test), *chosen])

    def divided(original: cst.CSTNode, updated: cst.CSTNode) -> cst.CSTNode:
        divides = isinstance(original, cst.BinaryOperation) and isinstance(original.operator, cst.Divide)
        if (
            divides
            and isinstance(original, cst.BinaryOperation)
            and cst.Module([]).code_for_node(original.right) == name
        ):
            return updated.with_changes(right=safe)
        return updated

    changed = side.visit(transformer(divided))
    assert isinstance(changed, cst.BaseExpression), "an expression stays one"
    return changed


def with_safe_indices(
    side: Side, tested: ast.expr, test: cst.BaseExpression, where: str, first: bool, one_element: bool = False
) -> Side:
    """`table[i + 1]`, where the test reads `i`, as `table[where(test, i + 1, 0)]`; the other way if not `first`.

    With `one_element` the index has one dimension, which the result loses again: a 0-d tensor would be read by Python.
    """
    names = {one.id for one in ast.walk(tested) if isinstance(one, ast.Name)}

    def indexed(original: cst.CSTNode, updated: cst.CSTNode) -> cst.CSTNode:
        only = original.slice[0].slice if isinstance(original, cst.Subscript) and len(original.slice) == 1 else None
        if not isinstance(only, cst.Index) or isinstance(only.value, cst.Tuple):
            return updated
        read = {one.id for one in ast.walk(ast.parse(_text(only.value))) if isinstance(one, ast.Name)}
        if not names & read:
            return updated
        index = cst.parse_expression(_text(only.value))
        one, other = (index, cst.Integer("0")) if first else (cst.Integer("0"), index)
        call = cst.Call(cst.parse_expression(where), [cst.Arg(test), cst.Arg(one), cst.Arg(other)])
        if one_element and not _is_reshaped(index):
            return _picked(updated, call)
        return updated.with_changes(slice=[cst.SubscriptElement(cst.Index(call))])

    changed = side.visit(transformer(indexed))
    assert isinstance(changed, (cst.BaseExpression, cst.BaseSuite)), "a changed index leaves the kind"
    return changed


def _picked(subscript: cst.CSTNode, index: cst.BaseExpression) -> cst.Call:
    """`table[index.reshape(1)].squeeze(0)`."""
    flat = cst.Call(cst.Attribute(index, cst.Name("reshape")), [cst.Arg(cst.Integer("1"))])
    picked = subscript.with_changes(slice=[cst.SubscriptElement(cst.Index(flat))])
    assert isinstance(picked, cst.BaseExpression), "a subscript stays one"
    return cst.Call(cst.Attribute(picked, cst.Name("squeeze")), [cst.Arg(cst.Integer("0"))])


def _is_reshaped(node: cst.BaseExpression) -> bool:
    return isinstance(node, cst.Call) and isinstance(node.func, cst.Attribute) and node.func.attr.value == "reshape"


def _text(node: cst.BaseExpression) -> str:
    return cst.Module([]).code_for_node(node)


def _is_zero(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and type(node.value) in (int, float) and node.value == 0
