"""An optional tensor that is tested for truth is asked for None instead.

`if mask:` reads what the tensor holds, where mostly its absence is meant. Only names that may be None are asked so.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from compilelint.fixes.engine.code import Code, is_store, names_in
from compilelint.fixes.engine.imports import spelled_target
from compilelint.fixes.engine.registry import rewrite
from compilelint.model import Edit, Finding, Fix, Safety


@rewrite("branch", rank=0, rules=("CL101",))
def asked_for_none(finding: Finding, code: Code) -> Iterator[Fix]:
    """`if mask:`, `not mask` and `bool(mask)` become `mask is not None` or `mask is None`, where it may be None.

    Legal where the name is a parameter whose default is None, or whose annotation allows None, and the function binds
    it nowhere else. Changes: a tensor of one zero counts as given, and one of several elements raises no more.
    """
    span = finding.location.span
    node, name = _question(code.path(span), code)
    function = code.function(span)
    if node is None or name is None or function is None or not may_be_none(name.id, function):
        return
    if isinstance(node, ast.Name) and not _only_tested(node, code):
        return
    negated = isinstance(node, ast.UnaryOp)
    above = code.around(node)[-1]
    if isinstance(above, ast.UnaryOp) and isinstance(above.op, ast.Not):
        negated, node = not negated, above
        above = code.around(node)[-1]
    text = f"{name.id} is {'' if negated else 'not '}None"
    if isinstance(above, (ast.UnaryOp, ast.Compare, ast.BinOp, ast.Attribute, ast.Subscript)):
        text = f"({text})"
    yield Fix(Safety.UNSAFE, "ask whether it is None", (Edit(code.span(node), text),))


def _question(path: list[ast.AST], code: Code) -> tuple[ast.expr | None, ast.Name | None]:
    """The expression at the end of a path that tests a name for truth, and the name: `x`, `not x`, `bool(x)`."""
    for node in reversed(path[-2:]):
        if isinstance(node, ast.Name) and isinstance(path[-2], ast.UnaryOp):
            continue
        if isinstance(node, ast.expr):
            name = _tested(node, code)
            if name is not None:
                return node, name
    return None, None


def may_be_none(name: str, function: ast.AST) -> bool:
    """Whether a name is a parameter that may be None by its default or annotation, and is never bound again."""
    arguments = getattr(function, "args", None)
    if not isinstance(arguments, ast.arguments) or any(one.id == name for one in names_in(function, is_store)):
        return False
    positional = [*arguments.posonlyargs, *arguments.args]
    defaults = dict(zip([one.arg for one in positional[::-1]], arguments.defaults[::-1], strict=False))
    defaults |= {
        one.arg: value for one, value in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True) if value
    }
    for one in (*positional, *arguments.kwonlyargs):
        if one.arg == name:
            default = defaults.get(name)
            missing = isinstance(default, ast.Constant) and default.value is None
            return missing or (one.annotation is not None and _allows_none(one.annotation))
    return False


def _allows_none(annotation: ast.expr) -> bool:
    """`Optional[...]`, or a union in which None is named."""
    if isinstance(annotation, ast.Subscript):
        called = annotation.value
        last = called.attr if isinstance(called, ast.Attribute) else getattr(called, "id", "")
        return last == "Optional"
    if isinstance(annotation, ast.BinOp) and isinstance(annotation.op, ast.BitOr):
        return _allows_none(annotation.left) or _allows_none(annotation.right)
    return isinstance(annotation, ast.Constant) and annotation.value is None


def _is_bool(node: ast.AST, code: Code) -> bool:
    """`bool(x)`, where no import binds the name."""
    if not isinstance(node, ast.Call) or node.keywords or len(node.args) != 1:
        return False
    return isinstance(node.func, ast.Name) and node.func.id == "bool" and spelled_target(node.func, code) is None


def _tested(node: ast.expr, code: Code) -> ast.Name | None:
    """The name that an expression tests for truth: `x`, `bool(x)`, `not x`."""
    if isinstance(node, ast.Call) and _is_bool(node, code):
        node = node.args[0]
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        node = node.operand
    return node if isinstance(node, ast.Name) else None


def _only_tested(node: ast.expr, code: Code) -> bool:
    """Whether nothing but the truth of an expression counts, also through `and` and `or` that are tested."""
    inner: ast.AST = node
    for above in reversed(code.around(node)):
        if isinstance(above, (ast.If, ast.While, ast.IfExp, ast.Assert)):
            return above.test is inner
        if not isinstance(above, ast.BoolOp):
            return isinstance(above, ast.UnaryOp) and isinstance(above.op, ast.Not)
        inner = above
    return False
