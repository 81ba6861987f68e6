"""`Variable(x)`, left over from torch 0.3: a tensor that shares the data of `x` and is cut from the graph of autograd.

That is `x.detach()`, which Dynamo traces. Where the tensor was just made, no one else holds it: it is used as it is.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from compilelint.fixes.engine.code import Code
from compilelint.fixes.engine.imports import spelled_target
from compilelint.fixes.engine.laws import IsTensor, Offer
from compilelint.fixes.engine.lazy_cst import cst
from compilelint.fixes.engine.registry import rewrite
from compilelint.model import Finding, Fix, Safety

# What makes a tensor of its own, without gradient, of no subclass.
_MADE = frozenset(
    "arange empty eye from_numpy full linspace logspace ones rand randint randn randperm tensor zeros "
    "BoolTensor DoubleTensor FloatTensor IntTensor LongTensor".split()
)
_MADE_LIKE = frozenset("new new_empty new_full new_ones new_tensor new_zeros".split())
_FILLED = frozenset("copy_ fill_ normal_ uniform_ zero_".split())


@rewrite("variable", rank=1, rules=("CL601",))
def detached(finding: Finding, code: Code) -> Iterator[Offer]:
    """`Variable(x)` becomes `x.detach()`, and `Variable(torch.zeros(n))` becomes `torch.zeros(n)`.

    Legal where it is given a tensor, and at most `requires_grad=False` beside it. It is safe where a function of torch
    has just made the tensor. Changes: the result keeps a subclass of tensors, which `Variable` drops.
    """
    span = finding.location.span
    path = code.path(span)
    call = next((one for one in reversed(path) if isinstance(one, ast.Call)), None)
    statement = next((one for one in reversed(path) if isinstance(one, ast.stmt)), None)
    if call is None or statement is None or not _is_plain(call, code):
        return
    piece = code.piece(statement, code.span(call))
    if piece is None or not isinstance(piece.node, cst.Call):
        return
    value = _argument(piece.node, code.indent)
    if value is None:
        return
    fresh = _is_fresh(call.args[0], code)
    made = value
    if not fresh:
        bare = isinstance(value, (cst.Name, cst.Attribute, cst.Call, cst.Subscript)) or value.lpar
        inner = value if bare else value.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()])
        made = cst.Call(cst.Attribute(inner, cst.Name("detach")))
    made = made.with_changes(lpar=[*piece.node.lpar, *made.lpar], rpar=[*made.rpar, *piece.node.rpar])
    safety = Safety.SAFE if fresh and _is_of_torch(call.args[0], code) else Safety.UNSAFE
    title = "leave out `Variable`" if fresh else "detach it"
    assumes = () if fresh else (IsTensor(call.args[0]),)
    yield Offer(Fix(safety, title, piece.replaced(piece.node, made)), assumes)


def _is_plain(call: ast.Call, code: Code) -> bool:
    """`Variable(x)` or `Variable(x, requires_grad=False)`."""
    if spelled_target(call.func, code) != "torch.autograd.Variable" or len(call.args) != 1:
        return False
    values = {one.arg: one.value for one in call.keywords}
    asked = values.pop("requires_grad", None)
    off = asked is None or (isinstance(asked, ast.Constant) and asked.value is False)
    return off and not values and not isinstance(call.args[0], ast.Starred)


def _argument(call: cst.Call, indent: str) -> cst.BaseExpression | None:
    """What it is given, as it stands without the call around it; None where a comment beside it would be lost."""
    value = call.args[0].value
    whole, inner = (cst.Module([]).code_for_node(one) for one in (call, value))
    first, *others = inner.split("\n")
    several = others and isinstance(value, (cst.BinaryOperation, cst.UnaryOperation, cst.IfExp)) and not value.lpar
    if whole.count("#") != inner.count("#") or several or (others and ('"""' in inner or "'''" in inner)):
        return None
    on_its_own_line = "\n" in whole.partition(first)[0]
    if on_its_own_line and all(line.startswith(indent) or not line for line in others):
        return cst.parse_expression("\n".join([first, *(line.removeprefix(indent) for line in others)]))
    return value


def _is_fresh(node: ast.expr, code: Code) -> bool:
    """Whether the tensor was made here, without gradient: `torch.zeros(n)`, `x.data.new(n).zero_()`."""
    if not isinstance(node, ast.Call) or any(one.arg in (None, "requires_grad", "out") for one in node.keywords):
        return False
    target = spelled_target(node.func, code)
    if target is not None:
        return target.removeprefix("torch.") in _MADE and target.startswith("torch.")
    if not isinstance(node.func, ast.Attribute):
        return False
    return node.func.attr in _MADE_LIKE or (node.func.attr in _FILLED and _is_fresh(node.func.value, code))


def _is_of_torch(node: ast.expr, code: Code) -> bool:
    """Whether a function of torch, not a method of some other tensor, made it."""
    while isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        if spelled_target(node.func, code) is not None:
            return True
        node = node.func.value
    return False
