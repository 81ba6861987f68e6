"""What our own rules on trees share: a way to what they are about, and words for nodes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

import libcst as cst

from compilelint.lib.rule import Rule
from compilelint.lib.walk import children
from compilelint.model import Rule as Metadata
from compilelint.survey.scopes import Scope
from compilelint.syntax import ir


class TreeRule(Rule):
    """A rule whose metadata stand with those of its family. It is about syntax: it never asks what is believed.

    Beside what rules of packs may ask, it may ask for what the engine's own index has: scopes and their expressions.
    """

    rule: ClassVar[Metadata]
    beliefs = False

    def expression(self, node: cst.CSTNode) -> tuple[Scope, ir.Expr] | None:
        """An expression as the engine has it, with its scope."""
        key = self._file.key(node)
        return None if key is None else self._file.known.expression(key)

    def function(self, node: cst.BaseExpression) -> ir.Function | None:
        """The function that an expression names, or is."""
        found, key = self.expression(node), self._file.key(node)
        if found is None or key is None or isinstance(found[1], ir.Lambda):
            return found[1].function if found is not None and isinstance(found[1], ir.Lambda) else None
        named = self._file.known.function_named(key)
        return None if named is None else named.node


def within(node: cst.CSTNode, *kinds: type[Any]) -> Iterator[Any]:
    """The nodes of these classes at and below a node, in order; nested functions and classes are not entered."""
    stack = [node]
    while stack:
        one = stack.pop()
        if isinstance(one, kinds):
            yield one
        if one is node or not isinstance(one, (cst.FunctionDef, cst.ClassDef)):
            stack.extend(reversed(list(children(one))))


def last_name(node: Any) -> str:
    """`Tensor` of `torch.Tensor` and of `Tensor`; empty for what is no name."""
    if isinstance(node, cst.Call):
        node = node.func
    if isinstance(node, cst.Attribute):
        node = node.attr
    return node.value if isinstance(node, cst.Name) else ""


def is_name(node: cst.CSTNode | None, *names: str) -> bool:
    """Whether a node is one of these names."""
    return isinstance(node, cst.Name) and node.value in names


def names_in(node: cst.CSTNode) -> Iterator[str]:
    """The names that an expression reads or binds; those of attributes and keywords are none."""
    stack = [node]
    while stack:
        one = stack.pop()
        if isinstance(one, cst.Name):
            yield one.value
        elif isinstance(one, (cst.Attribute, cst.Arg)):
            stack.append(one.value)
        else:
            stack.extend(children(one))


def dotted(node: cst.CSTNode) -> str:
    """`a.b.c` for a chain of attributes on a name, empty for anything else."""
    if isinstance(node, cst.Attribute):
        base = dotted(node.value)
        return f"{base}.{node.attr.value}" if base else ""
    return node.value if isinstance(node, cst.Name) else ""


def argument(call: cst.Call, place: int, *names: str) -> cst.BaseExpression | None:
    """A positional or keyword argument of a call."""
    positional = [one for one in call.args if one.keyword is None and one.star != "**"]
    if place < len(positional):
        return None if positional[place].star else positional[place].value
    return next((one.value for one in call.args if one.keyword is not None and one.keyword.value in names), None)


def text_of(node: cst.CSTNode | None) -> str | None:
    """The text of a string literal."""
    found = node.evaluated_value if isinstance(node, (cst.SimpleString, cst.ConcatenatedString)) else None
    return found if isinstance(found, str) else None


def is_literal(node: cst.CSTNode | None) -> bool:
    """Whether it is a text, a number, True or False as written."""
    return isinstance(node, (cst.BaseString, cst.BaseNumber)) or is_name(node, "True", "False")
