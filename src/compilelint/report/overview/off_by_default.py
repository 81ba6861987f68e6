"""Which lines run only behind a switch that the source leaves off: no work to begin with, whatever they cost.

A switch is a parameter of the function with the default `False`, which no call in the file gives anything else, or an
attribute that `__init__` sets to `False`. What is `None` at first is no switch: a cache or a mask comes with the calls.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TypeAlias

from compilelint.syntax.parse import statements

Off: TypeAlias = tuple[tuple[int, int, str], ...]
_Function: TypeAlias = "ast.FunctionDef | ast.AsyncFunctionDef"


def switched_off(tree: ast.Module) -> Off:
    """The bodies that run only with a switch on, as first and last lines with the name of the switch."""
    found: list[tuple[int, int, str]] = []
    given: set[str] | None = None
    for node, _ in statements(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            off = _parameters(node)
            if any(_bodies(node, off, "")):  # in few functions; what sets one takes a look at every expression
                given = _given(tree) if given is None else given
                found += _bodies(node, off - given - _stored(node), "")
        elif isinstance(node, ast.ClassDef):
            attributes = set(_attributes(node))
            for method in node.body if attributes else ():
                if isinstance(method, (ast.FunctionDef, ast.AsyncFunctionDef)) and method.args.args:
                    found += _bodies(method, attributes, method.args.args[0].arg)
    return tuple(found)


def _given(tree: ast.Module) -> set[str]:
    """The keywords that some call gives anything but `False`."""
    calls = (node for node in ast.walk(tree) if isinstance(node, ast.Call))
    return {one.arg for call in calls for one in call.keywords if one.arg is not None and not _is_false(one.value)}


def _parameters(function: _Function) -> set[str]:
    """The parameters with the default `False`."""
    arguments = function.args
    placed = [*arguments.posonlyargs, *arguments.args]
    pairs = [*zip(placed[::-1], arguments.defaults[::-1], strict=False)]
    pairs += [(one, value) for one, value in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True) if value]
    return {one.arg for one, value in pairs if _is_false(value)}


def _stored(function: _Function) -> set[str]:
    """The names that a function sets itself."""
    names = (node for node in ast.walk(function) if isinstance(node, ast.Name))
    return {one.id for one in names if isinstance(one.ctx, ast.Store)}


def _attributes(cls: ast.ClassDef) -> Iterator[str]:
    """The attributes that `__init__` sets to `False`, and to nothing else."""
    for method in cls.body:
        if not isinstance(method, ast.FunctionDef) or method.name != "__init__" or not method.args.args:
            continue
        own = method.args.args[0].arg
        values: dict[str, list[ast.expr]] = {}
        for node, _ in statements(method):
            if isinstance(node, ast.Assign):
                for target in node.targets:
                    if isinstance(target, ast.Attribute) and _is_name(target.value, own):
                        values.setdefault(target.attr, []).append(node.value)
        yield from (name for name, found in values.items() if all(map(_is_false, found)))


def _bodies(function: _Function, switches: set[str], own: str) -> Iterator[tuple[int, int, str]]:
    """The branches that need one of the switches: parameters, or attributes of `own` where that is named."""
    for node, _ in statements(function) if switches else ():
        if not isinstance(node, ast.If):
            continue
        negated = isinstance(node.test, ast.UnaryOp) and isinstance(node.test.op, ast.Not)
        test = node.test.operand if isinstance(node.test, ast.UnaryOp) and negated else node.test
        parts = test.values if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And) and not negated else [test]
        name = next((switch for part in parts if (switch := _switch(part, own)) in switches), "")
        body = node.orelse if negated else node.body
        if name and body:
            yield body[0].lineno, body[-1].end_lineno or body[-1].lineno, name


def _switch(test: ast.expr, own: str) -> str:
    if own:
        return test.attr if isinstance(test, ast.Attribute) and _is_name(test.value, own) else ""
    return test.id if isinstance(test, ast.Name) else ""


def _is_name(node: ast.expr, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name


def _is_false(node: ast.expr | None) -> bool:
    return isinstance(node, ast.Constant) and node.value is False
