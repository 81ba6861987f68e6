"""Views and sizes: `view` where memory forbids it, and sizes that a call would otherwise read from data. All unsafe."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from compilelint.fixes.engine.code import Code, is_store, names_in
from compilelint.fixes.engine.imports import spelled_target
from compilelint.fixes.engine.lazy_cst import cst
from compilelint.fixes.engine.registry import rewrite
from compilelint.model import Finding, Fix, Safety

_REPEAT = frozenset({"torch.repeat_interleave"})


@rewrite("view", rank=1, rules=("CL401",))
def reshaped(finding: Finding, code: Code) -> Iterator[Fix]:
    """`x.view(...)` becomes `x.reshape(...)`.

    Legal where `x` is known to be permuted so that the view would merge dimensions that are not adjacent in memory.
    Changes: where the view raised there is a copy, and a write into it does not reach `x`; elsewhere it stays a view.
    """
    span = finding.location.span
    path = code.path(span)
    call = next((one for one in reversed(path) if isinstance(one, ast.Call)), None)
    statement = next((one for one in reversed(path) if isinstance(one, ast.stmt)), None)
    if call is None or statement is None or code.span(call) != span:
        return
    if not isinstance(call.func, ast.Attribute) or call.func.attr != "view":
        return
    piece = code.piece(statement, span)
    if piece is None or not isinstance(piece.node, cst.Call) or not isinstance(piece.node.func, cst.Attribute):
        return
    new = piece.node.with_deep_changes(piece.node.func, attr=cst.Name("reshape"))
    assert isinstance(new, cst.Call), "a changed name leaves the call a call"
    yield Fix(Safety.UNSAFE, "reshape, which copies where it must", piece.replaced(piece.node, new))


@rewrite("dynamic-shape", rank=5, rules=("CL120",))
def stated_length(finding: Finding, code: Code) -> Iterator[Fix]:
    """`torch.repeat_interleave(x, torch.tensor([2, 3]))` gets `output_size=5`.

    Legal where the repeats are a tensor made in the call from a list of two or more Python numbers, or from a name
    that holds such a list. Changes: none for a list in the call; where a name holds one number for many rows, it
    raises.
    """
    call = _call_of(finding, code, _REPEAT)
    if call is None or not 2 <= len(call.args) <= 3 or any(one.arg != "dim" for one in call.keywords):
        return
    made = call.args[1]
    if not isinstance(made, ast.Call) or spelled_target(made.func, code) not in ("torch.tensor", "torch.as_tensor"):
        return
    held = made.args[0] if len(made.args) == 1 else None
    if isinstance(held, ast.List):
        counts = [count for one in held.elts if (count := _whole(one)) is not None and count >= 0]
        total = str(sum(counts)) if len(counts) == len(held.elts) > 1 else ""
    else:
        known = isinstance(held, ast.Name) and _is_list_of_numbers(held.id, finding, code)
        total = f"sum({ast.unparse(held)})" if held is not None and known else ""
    if total:
        yield from _with_keyword(finding, code, call, "output_size", total, "pass the output size")


# ---------------------------------------------------------------------- parts


def _call_of(finding: Finding, code: Code, names: frozenset[str]) -> ast.Call | None:
    """The call at a finding, if it is one of these functions without starred arguments."""
    span = finding.location.span
    call = next((one for one in reversed(code.path(span)) if isinstance(one, ast.Call)), None)
    if call is None or code.span(call) != span or spelled_target(call.func, code) not in names:
        return None
    return None if any(isinstance(one, ast.Starred) for one in call.args) else call


def _whole(node: ast.expr) -> int | None:
    """A whole number as written, negative ones included."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        inner = _whole(node.operand)
        return None if inner is None else -inner
    return node.value if isinstance(node, ast.Constant) and type(node.value) is int else None


def _is_list_of_numbers(name: str, finding: Finding, code: Code) -> bool:
    """Whether a parameter is annotated as a list of integers, and never bound again."""
    function = code.function(finding.location.span)
    given = [] if function is None else [*function.args.args, *function.args.kwonlyargs]
    if function is None or any(one.id == name for one in names_in(function, is_store)):
        return False
    annotation = next((one.annotation for one in given if one.arg == name), None)
    return annotation is not None and ast.unparse(annotation) in ("list[int]", "List[int]", "Sequence[int]")


def _with_keyword(finding: Finding, code: Code, call: ast.Call, name: str, value: str, title: str) -> Iterator[Fix]:
    span = finding.location.span
    statement = next((one for one in reversed(code.path(span)) if isinstance(one, ast.stmt)), None)
    piece = None if statement is None else code.piece(statement, span)
    if piece is None or not isinstance(piece.node, cst.Call):
        return
    last = piece.node.args[-1]
    if isinstance(last.comma, cst.Comma) or "\n" in cst.Module([]).code_for_node(piece.node):
        return  # a call over several lines has its own layout
    equal = cst.AssignEqual(cst.SimpleWhitespace(""), cst.SimpleWhitespace(""))
    comma = cst.Comma(whitespace_after=cst.SimpleWhitespace(" "))
    added = cst.Arg(cst.parse_expression(value), cst.Name(name), equal=equal)
    new = piece.node.with_changes(args=[*piece.node.args[:-1], last.with_changes(comma=comma), added])
    yield Fix(Safety.UNSAFE, title, piece.replaced(piece.node, new))
