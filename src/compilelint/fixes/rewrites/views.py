"""Views and sizes: `view` where memory forbids it, and sizes that a call would otherwise read from data. All unsafe."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from compilelint.fixes.engine.callers import Caller, with_keyword
from compilelint.fixes.engine.code import Code, is_store, names_in
from compilelint.fixes.engine.imports import spelled_target
from compilelint.fixes.engine.laws import Offer, OnlyRuns
from compilelint.fixes.engine.lazy_cst import cst
from compilelint.fixes.engine.python_sizes import held_by, why_unknown
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
def stated_length(finding: Finding, code: Code) -> Iterator[Fix | Offer]:
    """`torch.repeat_interleave(x, torch.tensor(counts))` gets `output_size=sum(counts)`.

    Legal where the repeats are a tensor made in the call from a list of whole numbers that Python knows: of two or more
    that are spelled, or a name that holds lengths and sizes, or is annotated as a list of integers. Changes: none for
    a list in the call; where a name holds one number for many rows, it raises.
    """
    call = _call_of(finding, code, _REPEAT)
    function = code.function(finding.location.span)
    if call is None or not 2 <= len(call.args) <= 3 or any(one.arg != "dim" for one in call.keywords):
        return
    held = held_by(call.args[1], code)
    if held is None or not isinstance(function, ast.FunctionDef):
        return
    why: str | None = ""
    if isinstance(held, ast.List):
        counts = [count for one in held.elts if (count := _whole(one)) is not None and count >= 0]
        total = str(sum(counts)) if len(counts) == len(held.elts) > 1 else ""
    else:
        total = f"sum({ast.unparse(held)})" if isinstance(held, ast.Name) else ""
        if not _is_list_of_numbers(ast.unparse(held), finding, code):
            why = why_unknown(held, function, code)
            why = why or (f"`{total}` may repeat one number for many rows" if why is not None else None)
    given = with_keyword(Caller(code, "", call, function), f"output_size={total}") if total else None
    if why is not None and given is not None:
        fix = Fix(Safety.UNSAFE, "pass the output size", (given,))
        yield Offer(fix, (OnlyRuns(why),)) if why else fix


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
