"""A tensor that goes to the host and comes back stays where it is: the copy there is left out. Unsafe."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from copy import deepcopy

from compilelint.fixes.engine.code import Code, FunctionNode, is_store, names_in
from compilelint.fixes.engine.imports import bound
from compilelint.fixes.engine.lazy_cst import cst, transformer
from compilelint.fixes.engine.purity import is_pure
from compilelint.fixes.engine.registry import rewrite
from compilelint.model import Edit, Finding, Fix, Rewrite, Safety, Span

_ALIKE_ON_ANY_DEVICE = frozenset("shape dtype device ndim size dim numel stride element_size".split())
_NUMBERS = frozenset({"int", "float", "bool", "str"})


@rewrite("round-trip", rank=1, rules=("CL304",))
def stays_on_device(finding: Finding, code: Code) -> Iterator[Fix]:
    """`torch.cumsum(x.cpu(), 0).to(x.device)` becomes `torch.cumsum(x, 0)`.

    Legal where everything between the two copies is tensor math of what was copied, of constants, of annotated numbers
    and of shapes, so that no tensor of the host meets one of the device; names on the way are assigned once and read
    once. The way back is left out where it names the device of the very tensor in the same expression; elsewhere it
    stays, and does nothing for a tensor that is there. Changes: the math is rounded as the device does it, raises where
    the device has no such operation, and, where it only looks at the tensor, shares memory with it.
    """
    known, span = finding.rewrite, finding.location.span
    there = None if known is None else _span_of_copy(known)
    back = _call_at(code, span)
    function = code.function(span)
    if there is None or back is None or function is None or not isinstance(back.func, ast.Attribute):
        return
    copy = _call_at(code, there)
    if copy is None or not isinstance(copy.func, ast.Attribute) or copy.func.attr not in ("cpu", "to"):
        return
    if not _leads_to(back.func.value, copy, function, code):
        return
    edits = _without(code, copy, back)
    if edits:
        yield Fix(Safety.UNSAFE, "stay on the device", edits)


# ----------------------------------------------------------------------- parts


def _span_of_copy(known: Rewrite) -> Span | None:
    """Where the copy to the host stands."""
    found = [known.fact(name) for name in ("line", "column", "end_line", "end_column")]
    line, column, end_line, end_column = (one if isinstance(one, int) else 0 for one in found)
    return Span(line, column, end_line, end_column) if line else None


def _call_at(code: Code, span: Span) -> ast.Call | None:
    found = next((one for one in reversed(code.path(span)) if isinstance(one, ast.Call)), None)
    return found if found is not None and code.span(found) == span else None


def _leads_to(
    found: ast.expr, copy: ast.Call, function: ast.FunctionDef | ast.AsyncFunctionDef, code: Code, far: int = 4
) -> bool:
    """Whether an expression is made of the copy, and of nothing else that could lie on the host."""
    math: ast.expr = deepcopy(found, {id(copy): ast.Constant(0)})  # with a number in the copy's place
    if not is_pure(math, code) or far == 0:
        return False
    inside = any(one is copy for one in ast.walk(found))
    for name in _read(found, copy):
        if name.id in bound(code) or _is_number(name.id, function):
            continue
        stored = _only_store(name.id, function)
        if inside or stored is None or not _leads_to(stored, copy, function, code, far - 1):
            return False
        inside = True
    return inside


def _read(node: ast.AST, copy: ast.Call) -> Iterator[ast.Name]:
    """The names an expression reads, but for those in the copy itself, and those only asked for shape or device."""
    if node is copy:
        return
    if isinstance(node, ast.Attribute) and node.attr in _ALIKE_ON_ANY_DEVICE and isinstance(node.value, ast.Name):
        return
    if isinstance(node, ast.Name):
        yield node
    for child in ast.iter_child_nodes(node):
        yield from _read(child, copy)


def _is_number(name: str, function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Whether a parameter is annotated as a plain number and never assigned."""
    parameters = [*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs]
    annotated = any(
        one.arg == name and isinstance(one.annotation, ast.Name) and one.annotation.id in _NUMBERS for one in parameters
    )
    return annotated and not any(one.id == name for one in names_in(function, is_store))


def _only_store(name: str, function: ast.FunctionDef | ast.AsyncFunctionDef) -> ast.expr | None:
    """What a name is assigned, if that happens once, it is read once, and nothing else of the function knows it."""
    uses = [one for one in names_in(function, lambda _: True) if one.id == name]
    if len(uses) != 2 or sum(map(is_store, uses)) != 1:
        return None
    if any(isinstance(one, (*FunctionNode, ast.Lambda)) for one in ast.walk(function) if one is not function):
        return None
    for one in ast.walk(function):
        if isinstance(one, ast.Assign) and len(one.targets) == 1 and one.targets[0] in uses:
            return one.value
    return None


def _without(code: Code, copy: ast.Call, back: ast.Call) -> tuple[Edit, ...]:
    """The edits that leave out the copy, and the way back where it is sure to lead to the tensor's own device."""
    assert isinstance(copy.func, ast.Attribute)
    inside = any(one is copy for one in ast.walk(back))
    both = inside and _device_of(back) == ast.dump(copy.func.value) and isinstance(copy.func.value, ast.Name)
    outer = back if both else copy
    statement = next((one for one in reversed(code.path(code.span(outer))) if isinstance(one, ast.stmt)), None)
    piece = None if statement is None else code.piece(statement, code.span(outer))
    if piece is None or not isinstance(piece.node, cst.Call):
        return ()
    text = cst.Module([]).code_for_node(piece.node)
    node: cst.CSTNode = piece.node
    if both:
        leaver = _Leave(ast.unparse(copy))
        inner = piece.node.func.visit(transformer(leaver))
        node = piece.node.with_changes(func=inner) if leaver.count == 1 else node
    kept = _receiver(node) if isinstance(node, cst.Call) else None
    if kept is None or "#" in text or (both and node is piece.node):
        return ()
    return piece.replaced(piece.node, kept)


class _Leave:
    """Puts a call's receiver in its place, wherever the call reads like the given text; `count` says how often."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.count = 0

    def __call__(self, one: cst.CSTNode, after: cst.CSTNode) -> cst.CSTNode:
        receiver = _receiver(after) if isinstance(one, cst.Call) and isinstance(after, cst.Call) else None
        if receiver is None or cst.Module([]).code_for_node(one.with_changes(lpar=[], rpar=[])) != self.text:
            return after
        self.count += 1
        return receiver


def _receiver(call: cst.Call) -> cst.BaseExpression | None:
    """What a method is called on, in the parentheses that stood around the call."""
    if not isinstance(call.func, cst.Attribute):
        return None
    found = call.func.value
    return found.with_changes(lpar=[*call.lpar, *found.lpar], rpar=[*found.rpar, *call.rpar])


def _device_of(back: ast.Call) -> str:
    """The tensor whose device `.to(x.device)` names, as a dump of its syntax; empty where there is more to it."""
    given = [*back.args, *(one.value for one in back.keywords)]
    if len(given) != 1 or not isinstance(given[0], ast.Attribute) or given[0].attr != "device":
        return ""
    return ast.dump(given[0].value)
