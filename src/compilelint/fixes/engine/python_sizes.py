"""Lists of whole numbers that Python knows: sizes and lengths, from which a tensor is made in the call.

`torch.tensor([len(row) for row in rows])` holds what the list held, so a number that is read back is the list's own.
Guarantee: `why_unknown` gives an empty string only where every element is a Python int by the text alone.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable

from compilelint.fixes.engine.code import Code, is_store, names_in
from compilelint.fixes.engine.imports import spelled_target
from compilelint.fixes.engine.known_tensors import is_tensor

_MADE = frozenset({"torch.tensor", "torch.as_tensor"})
_WHOLE = frozenset({"int32", "int64", "long", "int"})
_ASKED = frozenset({"dim", "nelement", "ndimension", "numel", "size"})  # methods of tensors that give Python ints
_ARITHMETIC = (ast.Add, ast.Sub, ast.Mult, ast.FloorDiv)


def held_by(call: ast.expr, code: Code) -> ast.expr | None:
    """What `torch.tensor(...)` is given, if it makes whole numbers of it, on whatever device; None for other calls."""
    if not isinstance(call, ast.Call) or spelled_target(call.func, code) not in _MADE or len(call.args) != 1:
        return None
    for one in call.keywords:
        whole = isinstance(one.value, ast.Attribute) and one.value.attr in _WHOLE
        if one.arg != "device" and not (one.arg == "dtype" and whole):
            return None
    return None if isinstance(call.args[0], ast.Starred) else call.args[0]


def why_unknown(held: ast.expr, function: ast.AST, code: Code) -> str | None:
    """Why the elements of a list may be no Python ints; empty where they are for certain, None where it is no list.

    A name is followed where it is a list of the function: made by one statement, to which only `append` adds.
    """
    if isinstance(held, ast.List):
        return _first(_why(element, code) for element in held.elts)
    if isinstance(held, ast.ListComp):
        return _why(held.elt, code)
    if not isinstance(held, ast.Name):
        return None
    made = [one for one in ast.walk(function) if isinstance(one, ast.Assign) and _gives(one, held.id)]
    lists = [one.value for one in made if isinstance(one.value, (ast.List, ast.ListComp))]
    others = [one for one in made if held_by(one.value, code) is None and one.value not in lists]
    stores = sum(1 for _ in names_in(function, lambda one: one.id == held.id and is_store(one)))
    if len(lists) != 1 or others or stores != len(made):
        return None
    found = [why_unknown(lists[0], function, code)]
    for use in names_in(function, lambda one: one.id == held.id and not is_store(one)):
        above = code.around(use)[-1]
        if isinstance(above, ast.Attribute) and above.attr in ("extend", "insert", "remove", "pop", "clear", "sort"):
            return None
        if isinstance(above, ast.Attribute) and above.attr == "append":
            call = code.around(above)[-1]
            if not isinstance(call, ast.Call) or len(call.args) != 1:
                return None
            found.append(_why(call.args[0], code))
    return _first(found)


def may_be_empty(held: ast.expr) -> bool:
    """Whether a list may have no element."""
    return not isinstance(held, ast.List) or not held.elts


def _first(found: Iterable[str | None]) -> str | None:
    """The first of some answers that says something; None where one of them is none."""
    answers = list(found)
    return None if None in answers else next((one for one in answers if one), "")


def _why(node: ast.expr, code: Code) -> str | None:
    """Why an element may be no Python int; None where nothing says that it is one."""
    if isinstance(node, ast.Constant):
        return "" if type(node.value) is int else None
    if isinstance(node, ast.BinOp) and isinstance(node.op, _ARITHMETIC):
        return _first([_why(node.left, code), _why(node.right, code)])
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        return "" if node.func.id == "len" else None
    owner: ast.expr | None = None
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _ASKED:
        sized = node.func.attr != "size" or len(node.args) == 1
        owner = node.func.value if sized and not node.keywords else None
    elif isinstance(node, ast.Subscript) and isinstance(node.value, ast.Attribute) and node.value.attr == "shape":
        owner = node.value.value if not isinstance(node.slice, (ast.Slice, ast.Tuple)) else None
    if owner is None:
        return None
    return "" if is_tensor(owner, code) else f"`{ast.unparse(owner)}` may not be a tensor"


def _gives(statement: ast.Assign, name: str) -> bool:
    return (
        len(statement.targets) == 1 and isinstance(statement.targets[0], ast.Name) and statement.targets[0].id == name
    )
