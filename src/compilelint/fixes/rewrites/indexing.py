"""Indices and masks whose result has a fixed shape when they are written another way. All unsafe.

A computed 0-d tensor as an index is read by Python, a one-element index tensor is not; an assignment under a mask whose
right side is masked alike is a `torch.where`; a sum under a mask is a sum of zeros and the rest.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator

from compilelint.fixes.engine.code import Code
from compilelint.fixes.engine.imports import spell, spelled_target
from compilelint.fixes.engine.laws import Offer, OnlyRuns
from compilelint.fixes.engine.lazy_cst import cst, transformer
from compilelint.fixes.engine.purity import is_pure
from compilelint.fixes.engine.registry import rewrite
from compilelint.model import Edit, Finding, Fix, Safety, Span

# Functions that work element by element, so that masking before or after is the same.
_ELEMENTWISE = frozenset(
    "abs exp log log1p sqrt rsqrt sigmoid tanh relu clamp square float double half long int to".split()
)
_REDUCED = ("sum", "mean")
_NUMBERS = frozenset({"math.pi", "math.e", "math.tau", "numpy.pi", "torch.pi"})


@rewrite("scalar-index", rank=1, rules=("CL103",))
def one_element_index(finding: Finding, code: Code) -> Iterator[Offer]:
    """`x[i]` becomes `x[i.reshape(1)].squeeze(0)`, where `i` is a 0-d tensor computed here.

    `torch.as_tensor(i)` stands for an `i` that is a number on some way, or is kept in an attribute.
    Legal where `x` is a tensor and the index is read, not written. Changes: the result is a copy, not a view.
    """
    known = finding.rewrite
    if (
        known is None
        or known.fact("rank") != 0
        or known.fact("dtype") in ("bool", "float")
        or not known.fact("of_tensor")
    ):
        return
    node = _subscript(finding.location.span, code)
    statement = _statement(finding.location.span, code)
    if node is None or statement is None or isinstance(node.slice, (ast.Slice, ast.Tuple, ast.UnaryOp)):
        return
    if not isinstance(node.ctx, ast.Load):
        return
    piece = code.piece(statement, code.span(node))
    if piece is None or not isinstance(piece.node, cst.Subscript):
        return
    index = piece.node.slice[0].slice
    if not isinstance(index, cst.Index):
        return
    value = index.value
    if not isinstance(value, (cst.Name, cst.Attribute, cst.Call, cst.Subscript)) and not value.lpar:
        value = value.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()])
    edits: tuple[Edit, ...] = ()
    if not known.fact("always") or _is_state(node.slice):
        tensor = spell(code, "torch.as_tensor", finding.location.span)
        if tensor is None:
            return
        bare = value.with_changes(lpar=(), rpar=()) if len(value.lpar) == 1 else value
        value, edits = cst.Call(cst.parse_expression(tensor.text), [cst.Arg(bare)]), tensor.edits
    flat = _method(value, "reshape", "1")
    element = piece.node.slice[0].with_changes(slice=index.with_changes(value=flat))
    picked = piece.node.with_changes(slice=[element], lpar=(), rpar=())
    made = _method(picked, "squeeze", "0").with_changes(lpar=piece.node.lpar, rpar=piece.node.rpar)
    yield Offer(
        Fix(Safety.UNSAFE, "index with a tensor of one element", (*edits, *piece.replaced(piece.node, made))),
        (OnlyRuns("the index may be a Python number, and one out of range may raise another exception", ("device",)),),
    )


def _masked_target(
    node: ast.Assign | ast.AugAssign, finding: Finding, code: Code, *, row: bool
) -> ast.Subscript | None:
    """What a statement assigns, if it is a tensor's items under a bool mask with as many dimensions."""
    if finding.rewrite is None or finding.rewrite.fact("dtype") != "bool" or finding.rewrite.fact("array"):
        return None
    if not _has_dimensions(finding, fewer=int(row)) or (isinstance(node, ast.Assign) and len(node.targets) != 1):
        return None
    target = node.target if isinstance(node, ast.AugAssign) else node.targets[0]
    if not isinstance(target, ast.Subscript) or not is_pure(target, code) or not isinstance(target.value, ast.Name):
        return None
    return target


@rewrite("mask", rank=1, rules=("CL120",))
def masked_assignment(finding: Finding, code: Code) -> Iterator[Offer]:
    """`x[mask] = f(x[mask], y[mask])` becomes `x.copy_(torch.where(mask, f(x, y), x))`; `x[mask] += ...` likewise.

    `x[mask] += layer.weight` is chosen by `mask[..., None]`.
    Legal where the mask has as many dimensions as what it picks from (one less for a weight), and the right side is
    arithmetic or a function that works element by element on values picked by the same mask, and numbers. Changes: all
    elements are computed, so one that is not picked may raise or put NaN into a gradient.
    """
    span = finding.location.span
    node = _statement(span, code)
    if not isinstance(node, (ast.Assign, ast.AugAssign)):
        return
    row = isinstance(node, ast.AugAssign) and _is_weight(node.value)
    target = _masked_target(node, finding, code, row=row)
    if target is None:
        return
    mask = ast.dump(target.slice)
    picked: list[ast.Subscript] = []
    if not row and (not elementwise(node.value, mask, picked, code) or (isinstance(node, ast.Assign) and not picked)):
        return
    where = spell(code, "torch.where", span)
    piece = code.piece(node, code.span(target))
    line = None if piece is None else piece.statement()
    if where is None or piece is None or not isinstance(line, cst.SimpleStatementLine):
        return
    only = line.body[0]
    if not isinstance(only, (cst.Assign, cst.AugAssign)) or not isinstance(piece.node, cst.Subscript):
        return
    text = cst.Module([]).code_for_node
    kept = _index_text(piece.node)
    whole = text(piece.node.value)
    unpicked = only.value.visit(transformer(_unpicked(kept)))
    if not isinstance(unpicked, cst.BaseExpression):
        return
    value = text(unpicked)
    if "#" in value or "\n" in value or kept is None:
        return
    if isinstance(only, cst.AugAssign):
        operator = text(only.operator).strip().removesuffix("=")
        value = f"{whole} {operator} {value}" if _is_atom(only.value) else f"{whole} {operator} ({value})"
    if row:
        kept = f"{kept}[..., None]" if isinstance(target.slice, (ast.Name, ast.Call)) else f"({kept})[..., None]"
    made = cst.Expr(cst.parse_expression(f"{whole}.copy_({where.text}({kept}, {value}, {whole}))"))
    changed = line.with_changes(body=[made])
    yield Offer(
        Fix(
            Safety.UNSAFE,
            "choose with `torch.where` instead of picking",
            (*where.edits, *piece.replaced(line, changed)),
        ),
        (OnlyRuns("computing all elements may raise, or put NaN in a gradient, where eager code picks some"),),
    )


@rewrite("dynamic-shape", rank=9)
@rewrite("mask", rank=2, rules=("CL120",))
def masked_sum(finding: Finding, code: Code) -> Iterator[Fix | Offer]:
    """`x[mask].sum()` becomes `torch.where(mask, x, 0).sum()`; `.mean()` is that, divided by `mask.sum()`.

    `x.masked_select(mask)` is `x[mask]`, and `torch.mean(...)` is `.mean()`.
    Legal where the mask has as many dimensions as `x`. Changes: the order of the summands, so the last digits.
    """
    span = finding.location.span
    path = code.path(span)
    node = _subscript(span, code) or next((one for one in reversed(path) if isinstance(one, ast.Call)), None)
    statement = _statement(span, code)
    if node is None or statement is None or not is_pure(_picked_from(node), code):
        return
    if isinstance(node, ast.Subscript) and any(isinstance(one, ast.Slice) for one in ast.walk(node.slice)):
        return  # rows up to a number that is read, and no mask
    found = _reduction(node, code)
    where = spell(code, "torch.where", span)
    piece = None if found is None else code.piece(statement, code.span(found[0]))
    if found is None or where is None or piece is None or not isinstance(piece.node, cst.Call):
        return
    if not _has_dimensions(finding) or "#" in cst.Module([]).code_for_node(piece.node):
        return
    call, how = found
    value, mask = (ast.unparse(one) for one in (_picked_from(node), _mask_of(node)))
    atom = isinstance(_mask_of(node), (ast.Name, ast.Attribute, ast.Call, ast.Subscript))
    counted = f" / {mask}.sum()" if atom else f" / ({mask}).sum()"
    text = f"{where.text}({mask}, {value}, 0).sum()" + (counted if how == "mean" else "")
    made = cst.parse_expression(text)
    around = next((one for one in reversed(code.around(call)) if isinstance(one, (ast.expr, ast.stmt))), None)
    if how == "mean" and isinstance(around, (ast.BinOp, ast.UnaryOp, ast.Attribute, ast.Subscript)):
        made = made.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()])
    else:
        made = made.with_changes(lpar=piece.node.lpar, rpar=piece.node.rpar)
    fix = Fix(Safety.UNSAFE, "sum zeros and the rest", (*where.edits, *piece.replaced(piece.node, made)))
    if how == "mean":  # which raises for whole numbers
        yield Offer(fix, (OnlyRuns("what it picks from may hold whole numbers, or have more dimensions"),))
    elif _has_dimensions(finding, known=True):
        yield fix
    else:
        yield Offer(fix, (OnlyRuns("the mask may have fewer dimensions than what it picks from"),))


# ---------------------------------------------------------------------- parts


def _unpicked(mask: str | None) -> Callable[[cst.CSTNode, cst.CSTNode], cst.CSTNode]:
    """`y[mask]` becomes `y`."""

    def change(one: cst.CSTNode, after: cst.CSTNode) -> cst.CSTNode:
        if isinstance(one, cst.Subscript) and isinstance(after, cst.Subscript) and _index_text(one) == mask:
            return after.value
        return after

    return change


def _is_state(index: ast.expr) -> bool:
    """Whether an index comes from an attribute, which may hold a number at another time."""
    return any(isinstance(one, ast.Attribute) and one.attr not in ("shape",) for one in ast.walk(index))


def _has_dimensions(finding: Finding, fewer: int = 0, known: bool = False) -> bool:
    """Whether a mask has so many dimensions fewer than what it picks from, or may have where they are not `known`."""
    facts = finding.rewrite
    if facts is None or facts.fact("array") or facts.fact("dtype") not in (("bool",) if known else ("bool", None)):
        return False
    own, of = facts.fact("rank"), facts.fact("of_rank")
    if own is None or of is None:
        return not known
    return int(own) + fewer == int(of)


def _is_weight(node: ast.expr) -> bool:
    """`layer.weight` or `self.layers[0].bias`: a parameter, which is added to each row that a mask picks."""
    names = [one for one in ast.walk(node) if isinstance(one, ast.Name)]
    chain = all(
        isinstance(one, (ast.Attribute, ast.Subscript, ast.Name, ast.Constant, ast.Load)) for one in ast.walk(node)
    )
    return chain and len(names) == 1 and isinstance(node, ast.Attribute) and node.attr in ("weight", "bias")


def _reduction(node: ast.expr, code: Code) -> tuple[ast.Call, str] | None:
    """The call that sums what a mask picks, or takes its mean, and which; None where something else is done with it."""
    if isinstance(node, ast.Call) and not _selects(node):
        return None
    above = next((one for one in reversed(code.around(node)) if isinstance(one, ast.expr)), None)
    if isinstance(above, ast.Attribute):
        call = next((one for one in reversed(code.around(above)) if isinstance(one, ast.expr)), None)
        plain = isinstance(call, ast.Call) and call.func is above and not call.args and not call.keywords
        return (call, above.attr) if plain and isinstance(call, ast.Call) and above.attr in _REDUCED else None
    if isinstance(above, ast.Call) and above.args == [node] and not above.keywords:
        name = (spelled_target(above.func, code) or "").removeprefix("torch.")
        return (above, name) if name in _REDUCED else None
    return None


def _selects(call: ast.Call) -> bool:
    """`x.masked_select(mask)`."""
    named = isinstance(call.func, ast.Attribute) and call.func.attr == "masked_select"
    return named and len(call.args) == 1 and not call.keywords and not isinstance(call.args[0], ast.Starred)


def _picked_from(node: ast.expr) -> ast.expr:
    if isinstance(node, ast.Call):
        return node.func.value if isinstance(node.func, ast.Attribute) else node
    return node.value if isinstance(node, ast.Subscript) else node


def _mask_of(node: ast.expr) -> ast.expr:
    if isinstance(node, ast.Call):
        return node.args[0]
    assert isinstance(node, ast.Subscript), "it is picked by a subscript or a call"
    return node.slice


def _subscript(span: Span, code: Code) -> ast.Subscript | None:
    """The subscript a finding on it, or on its index, means."""
    node = next((one for one in reversed(code.path(span)) if isinstance(one, ast.Subscript)), None)
    return node if node is not None and span in (code.span(node), code.span(node.slice)) else None


def _statement(span: Span, code: Code) -> ast.stmt | None:
    return next((one for one in reversed(code.path(span)) if isinstance(one, ast.stmt)), None)


def elementwise(node: ast.expr, mask: str, picked: list[ast.Subscript], code: Code) -> bool:
    """Whether an expression is made of values under one mask and numbers, element by element; notes the values.

    A name counts as one of a number: a tensor by that name would have to fit all elements where it fitted the picked.
    """
    if isinstance(node, ast.Constant):
        return isinstance(node.value, (int, float))
    if isinstance(node, ast.Name) or spelled_target(node, code) in _NUMBERS:
        return True
    if isinstance(node, ast.Subscript) and ast.dump(node.slice) == mask:
        picked.append(node)
        return isinstance(node.value, (ast.Name, ast.Attribute))
    if isinstance(node, ast.BinOp):
        matrix = isinstance(node.op, ast.MatMult)
        sides = (node.left, node.right)
        return not matrix and all(elementwise(one, mask, picked, code) for one in sides)
    if isinstance(node, ast.UnaryOp):
        return not isinstance(node.op, ast.Not) and elementwise(node.operand, mask, picked, code)
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute) or node.keywords:
        return False
    target = spelled_target(node.func, code)
    if node.func.attr not in _ELEMENTWISE or len(node.args) != int(target is not None):
        return False
    if target not in (None, f"torch.{node.func.attr}"):
        return False
    return elementwise(node.func.value if target is None else node.args[0], mask, picked, code)


def _index_text(node: cst.Subscript) -> str | None:
    """The index as written, None where it is more than one plain index."""
    if len(node.slice) != 1 or not isinstance(node.slice[0].slice, cst.Index) or node.slice[0].slice.star:
        return None
    text = cst.Module([]).code_for_node(node.slice[0].slice.value)
    return None if "#" in text or "\n" in text else text


def _is_atom(node: cst.BaseExpression) -> bool:
    return isinstance(node, (cst.Name, cst.Attribute, cst.Call, cst.Subscript, cst.Integer, cst.Float))


def _method(value: cst.BaseExpression, name: str, argument: str) -> cst.Call:
    return cst.Call(cst.Attribute(value, cst.Name(name)), [cst.Arg(cst.Integer(argument))])
