"""A grad mode that decorates a method stands in its body instead, where TorchDynamo can enter it.

TorchDynamo traces `with torch.no_grad():`, but (2.13) cannot call a decorated method of a module that is made while the
region runs (`matcher = Matcher()` in a loss, GB0116). That break shows only once what broke inside the method is
fixed, so both are one fix, and it is only tried where each fix is proven. The decorator and the block do the same.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from functools import partial

from compilelint.fixes.engine.code import Code, difference
from compilelint.fixes.engine.edits import with_edits
from compilelint.fixes.engine.imports import first_line, spelled_target
from compilelint.fixes.engine.laws import Offer
from compilelint.fixes.engine.registry import rewrite
from compilelint.fixes.rewrites.custom_operators import custom_operator
from compilelint.model import Edit, Finding, Fix, Safety, Span

_MODES = ("torch.no_grad", "torch.enable_grad", "torch.inference_mode")


@rewrite("host-function", rank=1, proven=True, rules=("CL601",))
def operator_in_a_block(finding: Finding, code: Code) -> Iterator[Fix]:
    """A host function becomes an operator, and the decorators `@torch.no_grad()` of the file's methods `with` blocks.

    Legal where the call may become an operator, and its method has one decorator, a grad mode that is called, and no
    text of several lines in its body; other methods of the file are treated alike where that is so. Changes: those of
    the operator.
    """
    function = code.function(finding.location.span)
    if function is None or not in_a_block(code, function):
        return
    for offer in custom_operator(finding, code):
        fix = offer.fix if isinstance(offer, Offer) else offer
        yield from _and_in_blocks(fix, code)


def _and_in_blocks(fix: Fix, code: Code) -> Iterator[Fix]:
    """A fix together with every decorated grad mode of the file's methods that may stand in its body."""
    made, moved = _with(code, fix.edits), False
    while made is not None:
        edits = next((one for one in map(partial(in_a_block, made), _methods(made.tree)) if one), ())
        if not edits:
            break
        made, moved = _with(made, edits), True
    edit = difference(code.source.text, made.source.text, 1) if made is not None and moved else None
    if edit is not None:
        yield Fix(Safety.UNSAFE, f"{fix.title}, and enter grad modes in blocks", (edit,))


def _with(code: Code, edits: Sequence[Edit]) -> Code | None:
    """The file with edits in it."""
    text = with_edits(code.source, edits)
    made = code.source.with_text(text)
    tree = made.tree()
    return Code(made, tree) if isinstance(tree, ast.Module) else None


def _methods(tree: ast.Module) -> list[ast.stmt]:
    return [one for owner in ast.walk(tree) if isinstance(owner, ast.ClassDef) for one in owner.body]


def in_a_block(code: Code, function: ast.AST) -> tuple[Edit, ...]:
    """The edits that move the one decorator of a function, a grad mode, into its body; none where that is not legal."""
    if not isinstance(function, ast.FunctionDef) or len(function.decorator_list) != 1:
        return ()
    mode = function.decorator_list[0]
    called = isinstance(mode, ast.Call) and not mode.args and not mode.keywords
    if not called or not isinstance(mode, ast.Call) or spelled_target(mode.func, code) not in _MODES:
        return ()
    first = function.body[0]
    documented = isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant)
    body = function.body[int(documented) :]
    if not body or body[0].lineno == function.lineno or any(_is_split(one) for part in body for one in ast.walk(part)):
        return ()
    indent = code.source.line(body[0].lineno)[: body[0].col_offset]
    if indent.strip():
        return ()
    start, end = first_line(body[0]), function.end_lineno or function.lineno
    lines = code.source.lines[start - 1 : end]
    inside = "".join(f"{code.indent}{line}\n" if line.strip() else f"{line}\n" for line in lines)
    block = f"{indent}with {ast.unparse(mode)}:\n{inside}"
    return (
        Edit(Span(mode.lineno, 1, (mode.end_lineno or mode.lineno) + 1, 1), ""),
        Edit(Span(start, 1, end + 1, 1), block),
    )


def _is_split(node: ast.AST) -> bool:
    """Whether a text stands on several lines, or a function gives its results one by one."""
    if isinstance(node, (ast.Yield, ast.YieldFrom)):
        return True
    text = isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, (str, bytes)))
    return text and isinstance(node, ast.expr) and node.lineno != node.end_lineno
