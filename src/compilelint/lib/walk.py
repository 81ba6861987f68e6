"""One walk over a tree for many rules: each node is offered to the rules that have a method for its class.

LibCST visits a tree once for each visitor, trivia included, at a second a megabyte. Here a rule is asked only where it
has `visit_Call` or `leave_Call`. What asks for more (its own `on_visit`, matchers as decorators, trivia, attributes) is
sent over the tree by LibCST itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import fields
from functools import cache
from typing import Any

import libcst as cst

Failed = Callable[[cst.CSTVisitor, cst.CSTNode, Exception], None]
"""Called when a rule raised at a node; the rule is not asked again in this file."""

_TRIVIA = frozenset(
    """
    lpar rpar lbracket rbracket lbrace rbrace comma semicolon colon equal dot header footer newline indent
    leading_lines lines_after_decorators lines_after_module trailing_whitespace star_equal
    """.split()
)
_CHILDREN: dict[type[cst.CSTNode], tuple[str, ...]] = {}


def _children(kind: type[cst.CSTNode]) -> tuple[str, ...]:
    """The fields of a class of nodes that may hold other nodes than trivia."""
    known = _CHILDREN.get(kind)
    if known is None:
        names = [one.name for one in fields(kind) if one.name not in _TRIVIA and "whitespace" not in one.name]
        known = _CHILDREN[kind] = tuple(names)
    return known


def children(node: cst.CSTNode) -> Iterator[cst.CSTNode]:
    """The nodes directly below a node, in order, trivia left out."""
    for name in _children(node.__class__):
        child = getattr(node, name)
        for one in child if isinstance(child, (tuple, list)) else (child,):
            if isinstance(one, cst.CSTNode):
                yield one


def walk(
    module: cst.Module, rules: Sequence[cst.CSTVisitor], failed: Failed, around: list[cst.CSTNode] | None = None
) -> None:
    """Send rules over a tree. A rule that raises is given to `failed`, and the others go on.

    `around` holds the nodes around the one that is offered, outermost first, while the rules look together.
    """
    together = [one for one in rules if _is_plain(one)]
    if together:
        _Walk(together, failed, [] if around is None else around).node(module, frozenset())
    for rule in rules:
        if not _is_plain(rule):
            try:
                module.visit(rule)
            except Exception as error:  # noqa: BLE001 - a stranger's rule costs itself, in this file
                failed(rule, module, error)


def _is_plain(rule: cst.CSTVisitor) -> bool:
    """Whether all that a rule wants is `visit_X` and `leave_X` of nodes that are no trivia."""
    return _is_plain_class(type(rule))


@cache
def _is_plain_class(kind: type[cst.CSTVisitor]) -> bool:
    if kind.on_visit is not cst.CSTVisitor.on_visit or kind.on_leave is not cst.CSTVisitor.on_leave:
        return False
    return all(_wanted(kind, name) for name in dir(kind) if name.startswith(("visit_", "leave_")))


def _wanted(kind: type, name: str) -> bool:
    """Whether a method is for nodes that the walk meets, or is the empty one of LibCST."""
    if getattr(kind, name) is getattr(cst.CSTVisitor, name, None):
        return True
    found = getattr(cst, name.partition("_")[2], None)
    return isinstance(found, type) and found.__module__ in ("libcst._nodes.expression", "libcst._nodes.statement")


class _Walk:
    """The rules with a method for each class of nodes, looked up once a class."""

    def __init__(self, rules: Sequence[cst.CSTVisitor], failed: Failed, around: list[cst.CSTNode]) -> None:
        self._rules = list(rules)
        self._failed = failed
        self._around = around
        self._methods: dict[type, tuple[list[Any], list[Any]]] = {}

    def node(self, node: cst.CSTNode, resting: frozenset[int]) -> None:
        """Offer a node and what is below it; `resting` are the rules that want nothing of it, by identity."""
        kind = node.__class__
        methods = self._methods.get(kind)
        if methods is None:
            methods = self._methods[kind] = self._of(kind)
        entered, left = methods
        inner = resting
        for rule, method in entered:
            if id(rule) not in resting and self._ask(rule, method, node) is False:
                inner |= {id(rule)}
        if len(inner) < len(self._rules) or not inner:
            self._around.append(node)
            for name in _children(kind):
                child = getattr(node, name)
                if child.__class__ is tuple or child.__class__ is list:
                    for one in child:
                        if isinstance(one, cst.CSTNode):
                            self.node(one, inner)
                elif isinstance(child, cst.CSTNode):
                    self.node(child, inner)
            self._around.pop()
        for rule, method in left:
            if id(rule) not in resting:
                self._ask(rule, method, node)

    def _of(self, kind: type) -> tuple[list[Any], list[Any]]:
        found: tuple[list[Any], list[Any]] = ([], [])
        for rule in self._rules:
            for methods, word in zip(found, ("visit", "leave"), strict=True):
                method = getattr(type(rule), f"{word}_{kind.__name__}", None)
                if method is not None and method is not getattr(cst.CSTVisitor, f"{word}_{kind.__name__}", None):
                    methods.append((rule, method))
        return found

    def _ask(self, rule: cst.CSTVisitor, method: Any, node: cst.CSTNode) -> object:
        try:
            return method(rule, node)
        except Exception as error:  # noqa: BLE001 - a stranger's rule costs itself, in this file
            self._failed(rule, node, error)
            self._rules.remove(rule)
            self._methods.clear()
            return False
