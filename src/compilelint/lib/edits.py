"""From what a rule puts in the place of a node to edits of the text."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from typing import Any

import libcst as cst

from compilelint.model import Edit, Span
from compilelint.syntax.positions import Place

_LOOSE = (
    cst.BinaryOperation,
    cst.BooleanOperation,
    cst.Comparison,
    cst.UnaryOperation,
    cst.IfExp,
    cst.Lambda,
    cst.NamedExpr,
    cst.Yield,
    cst.Await,
    cst.Tuple,
    cst.GeneratorExp,
)
"""What may fall apart in the place of something else without parentheses."""


def edits_of(
    module: cst.Module,
    places: dict[cst.CSTNode, Place],
    node: cst.CSTNode,
    fix: cst.CSTNode | cst.RemovalSentinel | cst.CSTTransformer | Mapping[cst.BaseExpression, cst.BaseExpression],
) -> tuple[Edit, ...]:
    """The edits that put `fix` in the place of a node, or that a transformer makes of the module.

    A mapping has several expressions and what is put in the place of each. Empty where nothing changes or where the
    result is no Python.
    """
    if isinstance(fix, Mapping):
        edits = tuple(_replaced(module, places[old], old, new) for old, new in fix.items() if old in places)
        return edits if len(edits) == len(fix) else ()
    if isinstance(fix, cst.BaseExpression) and isinstance(node, cst.BaseExpression) and node in places:
        edits = (_replaced(module, places[node], node, fix),)
        changed = module.visit(_Put(node, fix))
    else:
        made = module.visit(fix) if isinstance(fix, cst.CSTTransformer) else module.visit(_Put(node, fix))
        edits = lines_changed(module.code, made.code)
        changed = made
    try:
        cst.parse_module(changed.code)
    except cst.ParserSyntaxError:
        return ()
    return edits


class _Put(cst.CSTTransformer):
    """Puts something in the place of one node, or nothing."""

    def __init__(self, node: cst.CSTNode, fix: cst.CSTNode | cst.RemovalSentinel) -> None:
        super().__init__()
        self._node = node
        self._fix: Any = fix

    def on_visit(self, node: cst.CSTNode) -> bool:
        return node is not self._node

    def on_leave(self, original_node: Any, updated_node: Any) -> Any:
        return self._fix if original_node is self._node else updated_node


def _replaced(module: cst.Module, place: Place, node: cst.BaseExpression, fix: cst.BaseExpression) -> Edit:
    """One expression for another; a place has no parentheses in it, so those around the old one stay."""
    if node.lpar:
        fix = fix.with_changes(lpar=(), rpar=())
    elif isinstance(fix, _LOOSE) and not fix.lpar and not isinstance(fix, type(node)):
        fix = fix.with_changes(lpar=(cst.LeftParen(),), rpar=(cst.RightParen(),))
    return Edit(Span(place[0], place[1] + 1, place[2], place[3] + 1), module.code_for_node(fix))


def lines_changed(before: str, after: str) -> tuple[Edit, ...]:
    """The edits, whole lines each, that make one text of another."""
    old, new = before.splitlines(keepends=True), after.splitlines(keepends=True)
    found = []
    for tag, first, last, start, end in difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag != "equal":
            found.append(Edit(Span(first + 1, 1, last + 1, 1), "".join(new[start:end])))
    return tuple(found)
