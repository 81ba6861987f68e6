"""Numbers that need not leave the device: `.item()` is dropped where a 0-d tensor does as well.

Unsafe: the value stays a tensor, so a result may become one, and where an operand has another dtype the result may be
wider than with a Python number. `.detach()` keeps the gradient as it was; integers and bools have none.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from compilelint.fixes.engine.code import Code
from compilelint.fixes.engine.imports import spelled_target
from compilelint.fixes.engine.laws import Offer, OnlyRuns
from compilelint.fixes.engine.lazy_cst import cst
from compilelint.fixes.engine.registry import rewrite
from compilelint.model import Finding, Fix, Safety

# Calls that want a number, or do something else with a tensor.
_NEEDS_A_NUMBER = frozenset(
    "range int float bool str repr format print round len complex arange zeros ones empty full linspace view reshape "
    "expand repeat split chunk narrow tile unsqueeze squeeze roll pad append get item isinstance sqrt log exp ceil "
    "floor".split()
)


@rewrite("host-read", rank=1, rules=("CL102",))
def kept_as_tensor(finding: Finding, code: Code) -> Iterator[Offer]:
    """`x.item()` becomes `x.detach()` (`x` itself for integers and bools), with `.reshape(())` where it has dimensions.

    Legal where `x` is a tensor, and the value, and the name it is given, is only used in arithmetic, comparisons of an
    assertion, returned, or passed on; not as an index, size, condition, text or key. Changes: the value, and what is
    computed from it, is a tensor, perhaps of another dtype.
    """
    span = finding.location.span
    path = code.path(span)
    call = next((one for one in reversed(path) if isinstance(one, ast.Call) and _is_item(one)), None)
    statement = next((one for one in reversed(path) if isinstance(one, ast.stmt)), None)
    known = finding.rewrite
    if call is None or statement is None or known is None or known.fact("array"):
        return
    if not _tensor_will_do(call, path, code):
        return
    piece = code.piece(statement, code.span(call))
    if piece is None or not isinstance(piece.node, cst.Call) or not isinstance(piece.node.func, cst.Attribute):
        return
    whole = known.fact("dtype") in ("int", "bool")
    value = piece.node.func.value
    new: cst.BaseExpression = value
    if not whole:
        new = piece.node.with_changes(func=piece.node.func.with_changes(attr=cst.Name("detach")))
    elif piece.node.lpar:
        new = value.with_changes(lpar=[*piece.node.lpar, *value.lpar], rpar=[*value.rpar, *piece.node.rpar])
    if known.fact("rank") != 0 and not _is_reduced(call):
        new = cst.Call(cst.Attribute(new, cst.Name("reshape")), [cst.Arg(cst.Tuple([]))])
    yield Offer(
        Fix(Safety.UNSAFE, "keep the value as a 0-d tensor", piece.replaced(piece.node, new)),
        (OnlyRuns("code that reads the value may need a number, and the dtype may change", ("dtype",)),),
    )


def _is_item(call: ast.Call) -> bool:
    return isinstance(call.func, ast.Attribute) and call.func.attr == "item" and not call.args and not call.keywords


def _is_reduced(call: ast.Call) -> bool:
    """Whether the value is plainly of no dimension: `x.sum().item()`, a reduction without arguments."""
    func = call.func
    value = func.value if isinstance(func, ast.Attribute) else None
    reduced = (
        isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute) and not (value.args or value.keywords)
    )
    return reduced and getattr(getattr(value, "func", None), "attr", "") in ("sum", "max", "min", "mean", "any", "all")


def _tensor_will_do(call: ast.Call, path: list[ast.AST], code: Code) -> bool:
    """Whether nothing between the call and its statement, and no use of the name it is given, needs a number."""
    around = path[: next(index for index, one in enumerate(path) if one is call)]
    for node, below in zip(reversed(around), reversed([*around[1:], call]), strict=True):
        if isinstance(node, ast.stmt):
            return _statement_takes_it(node, below, code)
        if not _takes_it(node, below, code):
            return False
    return False


def _takes_it(node: ast.AST, below: ast.AST, code: Code) -> bool:
    """Whether an expression may hold a 0-d tensor in the place of a number."""
    if isinstance(node, ast.BinOp):
        # `//` and `%` of sizes make sizes; powers and shifts of Python integers are not those of tensors.
        return isinstance(node.op, (ast.Add, ast.Sub, ast.Mult, ast.Div))
    if isinstance(node, ast.Call):
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "range")
        if (spelled_target(node.func, code) or "").startswith("numpy."):
            return False
        return below is not node.func and name not in _NEEDS_A_NUMBER
    if isinstance(node, ast.UnaryOp):
        return isinstance(node.op, ast.USub)
    if isinstance(node, ast.IfExp):
        return below is not node.test
    return isinstance(node, (ast.Compare, ast.Dict)) and below not in getattr(node, "keys", ())


def _statement_takes_it(node: ast.stmt, below: ast.AST, code: Code) -> bool:
    if isinstance(node, ast.Assert):
        return below is node.test
    if isinstance(below, ast.Compare):
        return False  # a comparison elsewhere becomes a condition sooner or later
    if isinstance(node, ast.Return):
        return not isinstance(below, ast.Call) or not _is_item(below)  # a bare number that callers may index with
    if isinstance(node, ast.AugAssign):
        return isinstance(node.op, (ast.Add, ast.Sub, ast.Mult, ast.Div)) and isinstance(node.target, ast.Name)
    if not isinstance(node, ast.Assign) or len(node.targets) != 1 or not isinstance(node.targets[0], ast.Name):
        return isinstance(node, ast.Expr)
    function = code.function(code.span(node))
    return function is not None and _uses_take_it(node.targets[0].id, function, node, code)


def _uses_take_it(name: str, function: ast.AST, assigned: ast.stmt, code: Code) -> bool:
    """Whether every use of the name in its function would take a 0-d tensor.

    Uses before it has that value do not count, unless a loop around the assignment brings it back to them.
    """
    used = False
    in_loop = any(
        isinstance(one, (ast.For, ast.While)) and any(inner is assigned for inner in ast.walk(one))
        for one in ast.walk(function)
    )
    pending: list[tuple[ast.AST, tuple[ast.AST, ...]]] = [(function, ())]
    while pending:
        node, around = pending.pop()
        before = not in_loop and isinstance(node, ast.expr) and node.lineno <= (assigned.end_lineno or assigned.lineno)
        if isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Load) and not before:
            used = True
            if not _use_takes_it(node, around, code):
                return False
        pending.extend((child, (*around, node)) for child in ast.iter_child_nodes(node))
    return used


def _use_takes_it(node: ast.AST, around: tuple[ast.AST, ...], code: Code) -> bool:
    """Whether what stands around a use takes a 0-d tensor, or around the arithmetic that it is a part of."""
    above = around[-1]
    if not (_takes_it(above, node, code) or isinstance(above, ast.keyword)):
        return False
    while isinstance(above, (ast.BinOp, ast.UnaryOp)):
        node, around = above, around[:-1]
        above = around[-1]
    indexed = isinstance(above, (ast.Subscript, ast.Slice)) and node is not getattr(above, "value", None)
    return not indexed and (not isinstance(above, ast.Call) or node is above.func or _takes_it(above, node, code))
