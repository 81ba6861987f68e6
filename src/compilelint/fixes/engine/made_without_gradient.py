"""Which tensors need no gradient for certain: what factories make, and what shapes and casts make of it.

Decided from the statements that lead to an expression, on the safe side: between a name's assignment and the place that
asks, nothing else may mention the name, so nothing can have marked it. Does not belong here: whether something is a
tensor at all (`known_tensors`).
"""

from __future__ import annotations

import ast

from compilelint.fixes.engine.code import Code, is_store, names_in
from compilelint.fixes.engine.imports import spelled_target

_FACTORIES = frozenset(
    f"torch.{name}"
    for name in "arange empty eye full linspace logspace ones rand randint randn randperm tensor zeros".split()
)
_JOINING = frozenset({"torch.cat", "torch.meshgrid", "torch.stack"})
_METHODS = frozenset(
    "contiguous cpu cuda double expand flatten flip float half int long permute repeat reshape squeeze t to transpose "
    "type_as unsqueeze view".split()
)
_MARKS = frozenset({"requires_grad", "out", None})  # None: what is unpacked may hold either
_DEEP = 20


def needs_no_gradient(node: ast.expr, code: Code, deep: int = 0) -> bool:
    """Whether an expression gives a tensor, or a list or tuple of tensors, that never asked for a gradient."""
    if deep > _DEEP:
        return False
    if isinstance(node, (ast.Tuple, ast.List)):
        return bool(node.elts) and all(needs_no_gradient(one, code, deep + 1) for one in node.elts)
    if isinstance(node, ast.Name):
        value = _value_above(node, code)
        return value is not None and needs_no_gradient(value, code, deep + 1)
    if isinstance(node, ast.BinOp):
        sides = [one for one in (node.left, node.right) if not isinstance(one, ast.Constant)]
        return bool(sides) and all(needs_no_gradient(one, code, deep + 1) for one in sides)
    if not isinstance(node, ast.Call) or any(one.arg in _MARKS for one in node.keywords):
        return False
    target = spelled_target(node.func, code)
    if target in _FACTORIES:
        return True
    if target in _JOINING:
        joined = node.args if target == "torch.meshgrid" else node.args[:1]
        return bool(joined) and all(needs_no_gradient(one, code, deep + 1) for one in joined)
    method = target is None and isinstance(node.func, ast.Attribute) and node.func.attr in _METHODS
    return method and isinstance(node.func, ast.Attribute) and needs_no_gradient(node.func.value, code, deep + 1)


def _value_above(name: ast.Name, code: Code) -> ast.expr | None:
    """What the nearest assignment above, in the blocks around a name, gives it, if nothing in between mentions it.

    Of `a, b = value` each name counts as the value: what is true of a whole result is true of its parts.
    """
    path = code.around(name)
    for outer, inner in zip(path[-2::-1], path[:0:-1], strict=True):
        block = getattr(outer, "body", None)
        if not isinstance(inner, ast.stmt) or not isinstance(block, list) or inner not in block:
            continue
        for statement in reversed(block[: block.index(inner)]):
            met = list(names_in(statement, lambda one: one.id == name.id))
            if met:
                return _given(statement, met, name)
        if not isinstance(outer, (ast.If, ast.With)):
            return None
    return None


def _given(statement: ast.stmt, met: list[ast.Name], name: ast.Name) -> ast.expr | None:
    """The value of `name = value` or `name, other = value`; of any other statement, nothing."""
    if not isinstance(statement, ast.Assign) or len(statement.targets) != 1:
        return None
    target = statement.targets[0]
    names = target.elts if isinstance(target, ast.Tuple) else [target]
    stored = [one for one in met if is_store(one)]
    plain = all(isinstance(one, ast.Name) for one in names) and len(stored) == 1 and stored[0] in names
    return statement.value if plain else None
