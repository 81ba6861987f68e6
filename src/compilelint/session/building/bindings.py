"""What gives a name its value: the statement of a scope that binds it, a parameter, an attribute of `self`."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass

from compilelint.session.building.sources import Function, Source, own_nodes

_PARSES = frozenset({"parse_args", "parse_known_args"})
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter of a function."""

    function: Function


def binding_in(scope: ast.AST, name: str, before: int | None) -> ast.AST | Parameter | None:
    """The last statement of a scope that binds a name, before a line where one is given; its parameter; else None.

    A statement that only Python can unfold (a loop, a `with`, an `except`) is given too: it is no assignment.
    """
    found: ast.AST | None = None
    for node in own_nodes(scope):
        line = getattr(node, "lineno", 0)
        if (before is None or line < before) and _binds(node, name):
            found = node
    if found is None and isinstance(scope, _FUNCTIONS) and name in _parameters(scope):
        return Parameter(scope)
    return found


def _binds(node: ast.AST, name: str) -> bool:
    if isinstance(node, (ast.Import, ast.ImportFrom)):
        return any((alias.asname or alias.name.partition(".")[0]) == name for alias in node.names)
    if isinstance(node, (*_FUNCTIONS, ast.ClassDef)):
        return node.name == name
    if isinstance(node, ast.Assign):
        return any(_stores(target, name) for target in node.targets)
    if isinstance(node, (ast.AnnAssign, ast.For, ast.AsyncFor)):
        return _stores(node.target, name)
    return isinstance(node, ast.withitem) and node.optional_vars is not None and _stores(node.optional_vars, name)


def _stores(target: ast.expr, name: str) -> bool:
    return any(
        isinstance(one, ast.Name) and one.id == name and isinstance(one.ctx, ast.Store) for one in ast.walk(target)
    )


def _parameters(function: Function) -> list[str]:
    given = function.args
    return [one.arg for one in (*given.posonlyargs, *given.args, *given.kwonlyargs)]


def default_of(function: Function, name: str) -> ast.expr | None:
    """The default of a parameter."""
    given = function.args
    positional = [*given.posonlyargs, *given.args]
    pairs = [*zip(reversed(positional), reversed(given.defaults), strict=False)]
    pairs += [(one, default) for one, default in zip(given.kwonlyargs, given.kw_defaults, strict=True) if default]
    return next((default for one, default in pairs if one.arg == name), None)


def first_parametrized(function: Function, name: str) -> ast.expr | None:
    """The first case that `pytest.mark.parametrize` gives a parameter."""
    for decorator in function.decorator_list:
        if not isinstance(decorator, ast.Call) or not ast.unparse(decorator.func).endswith("parametrize"):
            continue
        named, cases = (*decorator.args, None, None)[:2]
        if not isinstance(named, ast.Constant) or not isinstance(cases, (ast.List, ast.Tuple)) or not cases.elts:
            continue
        names = [one.strip() for one in str(named.value).split(",")]
        if name not in names:
            continue
        first = cases.elts[0]
        if isinstance(first, ast.Call) and ast.unparse(first.func).endswith("param") and first.args:
            first = first.args[0] if len(names) == 1 else ast.Tuple([*first.args], ast.Load())
        if len(names) == 1:
            return first
        if isinstance(first, (ast.Tuple, ast.List)) and len(first.elts) == len(names):
            return first.elts[names.index(name)]
    return None


def own_attribute(owner: ast.ClassDef, attribute: str) -> tuple[ast.expr, Function | None] | None:
    """The value that a class gives `self.attribute`, and the method that does; None for the class's own line."""
    for method in owner.body:
        if isinstance(method, _FUNCTIONS):
            for node in own_nodes(method):
                if isinstance(node, ast.Assign):
                    for target in node.targets:
                        if ast.unparse(target) == f"self.{attribute}":
                            return node.value, method
        elif isinstance(method, ast.Assign) and ast.unparse(method.targets[0]) == attribute:
            return method.value, None
    return None


def parses_options(value: ast.expr, source: Source, sources: Mapping[str, Source]) -> str | None:
    """The path of the source whose parser's options a value is; None for any other value."""
    if not isinstance(value, ast.Call):
        return None
    if isinstance(value.func, ast.Attribute) and value.func.attr in _PARSES:
        return source.path
    if not isinstance(value.func, ast.Name):
        return None
    found, home = binding_in(source.tree, value.func.id, None), source
    if isinstance(found, ast.ImportFrom):
        home = sources.get(source.absolute(found), source)
        found = binding_in(home.tree, value.func.id, None)
    if not isinstance(found, _FUNCTIONS):
        return None
    called = [
        one.func.attr for one in ast.walk(found) if isinstance(one, ast.Call) and isinstance(one.func, ast.Attribute)
    ]
    return home.path if _PARSES & {*called} else None


def argument_of(call: ast.Call, function: Function, name: str) -> ast.expr | None:
    """The argument that a call gives a parameter; None where it gives none, or not plainly."""
    for keyword in call.keywords:
        if keyword.arg == name:
            return keyword.value
    names = [one.arg for one in (*function.args.posonlyargs, *function.args.args)]
    bound = bool(names) and names[0] in ("self", "cls") and isinstance(call.func, ast.Attribute)
    at = names.index(name) - bound if name in names else -1
    plain = not any(isinstance(one, ast.Starred) for one in call.args)
    return call.args[at] if plain and 0 <= at < len(call.args) else None
