"""Layers that are skipped by a draw, and tests that only save work: the general way is always taken. All unsafe.

LayerDrop reads `if drawn < p:` at every layer, a branch on a tensor. The layer may run each time, and its result be
chosen by `torch.where`: the same where no layer is skipped. A test whose arm does no more than leave a mask out, or go
on with a loop that is at its end anyway, is not needed at all.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from compilelint.fixes.engine.code import Code
from compilelint.fixes.engine.imports import spell, spelled_target
from compilelint.fixes.engine.laws import Offer, OnlyRuns
from compilelint.fixes.engine.lazy_cst import cst
from compilelint.fixes.engine.purity import is_pure
from compilelint.fixes.engine.registry import rewrite
from compilelint.model import Edit, Finding, Fix, Safety, Span

_DRAWS = frozenset({"torch.rand", "torch.rand_like", "torch.empty", "torch.bernoulli"})
_EMPTY_TESTS = frozenset({"any", "all"})


@rewrite("branch", rank=6, rules=("CL101",))
def chosen_layer(finding: Finding, code: Code) -> Iterator[Offer]:
    """`if not skip: h = layer(h, ...)` becomes `h = torch.where(skip, h, layer(h, ...))`, where `skip` was drawn.

    Legal where the condition goes back to `torch.rand` in the same function, and the arm assigns one call that is
    given the old value. Changes: the layer always runs, so where it would be skipped it still draws its random
    numbers and changes its state, and its parameters get gradients of zero instead of none.
    """
    span = finding.location.span
    node, function = tested_branch(finding, code), code.function(span)
    if node is None or function is None or len(node.body) != 1 or node.orelse:
        return
    only = node.body[0]
    if not isinstance(only, ast.Assign) or len(only.targets) != 1 or not isinstance(only.value, ast.Call):
        return
    target = only.targets[0]
    given = [one.id for one in only.value.args if isinstance(one, ast.Name)]
    if not isinstance(target, ast.Name) or target.id not in given or not is_drawn(node.test, function, code):
        return
    where = spell(code, "torch.where", span)
    piece = code.piece(node, code.span(node))
    statement = None if piece is None else piece.statement()
    if where is None or piece is None or not isinstance(statement, cst.If):
        return
    line = _only_line(statement)
    if line is None or not isinstance(line.body[0], cst.Assign):
        return
    skipped = isinstance(node.test, ast.UnaryOp) and isinstance(node.test.op, ast.Not)
    test = tensor_text(node.test.operand if isinstance(node.test, ast.UnaryOp) else node.test, code, span)
    if test is None:
        return
    value = line.body[0].value
    old = cst.Name(target.id)
    sides = (old, value) if skipped else (value, old)
    made = cst.Call(cst.parse_expression(where.text), [cst.Arg(cst.parse_expression(test)), *map(cst.Arg, sides)])
    block = statement.body
    comments = block.header.comment if isinstance(block, cst.IndentedBlock) else None
    above = [*statement.leading_lines, *line.leading_lines]
    if comments is not None:
        above.append(cst.EmptyLine(comment=comments))
    changed = line.with_deep_changes(line.body[0], value=made).with_changes(leading_lines=above)
    yield Offer(
        Fix(
            Safety.UNSAFE,
            "always run the layer and choose with `torch.where`",
            (*where.edits, *piece.replaced(statement, changed)),
        ),
        (OnlyRuns("a layer that eager code skips would run, which changes random numbers, state and gradients"),),
    )


@rewrite("branch", rank=9, rules=("CL101",))
def no_shortcut(finding: Finding, code: Code) -> Iterator[Offer]:
    """`if not mask.any(): mask = None` goes, and so does `if skipped: continue` at the end of a loop.

    Legal where the arm only replaces the tested tensor by None, or only continues and nothing follows in the loop.
    Changes: a mask that masks nothing is applied all the same, and is handed on as a tensor.
    """
    node = tested_branch(finding, code)
    if node is None or len(node.body) != 1 or node.orelse or not is_pure(node.test, code):
        return
    only = node.body[0]
    path = code.path(finding.location.span)
    above = path[path.index(node) - 1]
    block = next((one for one in (getattr(above, "body", []), getattr(above, "orelse", [])) if node in one), [])
    if len(block) < 2:
        return
    if isinstance(only, ast.Continue):
        wanted = isinstance(above, (ast.For, ast.While)) and block is above.body and block[-1] is node
    else:
        wanted = _leaves_out(node, only)
    lines = [code.source.line(number) for number in range(node.lineno, (node.end_lineno or node.lineno) + 1)]
    if not wanted or any("#" in line for line in lines) or code.piece(node, code.span(node)) is None:
        return
    last = node.end_lineno or node.lineno
    yield Offer(
        Fix(Safety.UNSAFE, "always take the general path", (Edit(Span(node.lineno, 1, last + 1, 1), ""),)),
        (OnlyRuns("a mask would be passed where eager code passes None"),),
    )


# ---------------------------------------------------------------------- parts


def tested_branch(finding: Finding, code: Code) -> ast.If | None:
    """The `if` whose test holds the finding, a bool tensor on every path."""
    known, span = finding.rewrite, finding.location.span
    if known is None or known.fact("dtype") != "bool" or not known.fact("always"):
        return None
    node = next((one for one in reversed(code.path(span)) if isinstance(one, ast.stmt)), None)
    if not isinstance(node, ast.If):
        return None
    inside = code.span(node.test)
    return node if inside[:2] <= span[:2] and span[2:] <= inside[2:] else None


def is_drawn(test: ast.expr, function: ast.AST, code: Code) -> bool:
    """Whether a condition goes back to a draw in the function: by the names it holds, and those they come from."""
    values: dict[str, list[ast.expr]] = {}
    for node in ast.walk(function):
        if isinstance(node, ast.Assign):
            for target in node.targets:
                if isinstance(target, ast.Name):
                    values.setdefault(target.id, []).append(node.value)
    pending: list[ast.expr] = [test]
    seen: set[str] = set()
    while pending:
        for node in ast.walk(pending.pop()):
            if isinstance(node, ast.Call) and spelled_target(node.func, code) in _DRAWS:
                return True
            if isinstance(node, ast.Name) and node.id not in seen:
                seen.add(node.id)
                pending += values.get(node.id, [])
    return False


def tensor_text(test: ast.expr, code: Code, span: Span) -> str | None:
    """A condition of names, attributes and comparisons as one bool tensor; None where it holds anything else."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        inner, no = tensor_text(test.operand, code, span), spell(code, "torch.logical_not", span)
        return None if inner is None or no is None or no.edits else f"{no.text}({inner})"
    if isinstance(test, ast.BoolOp):
        name = "torch.logical_or" if isinstance(test.op, ast.Or) else "torch.logical_and"
        both = spell(code, name, span)
        made = tensor_text(test.values[0], code, span)
        for value in test.values[1:]:
            other = tensor_text(value, code, span)
            if made is None or other is None or both is None or both.edits:
                return None
            made = f"{both.text}({made}, {other})"
        return made
    tensor = spell(code, "torch.as_tensor", span)  # a flag is a Python bool on the ways that draw nothing
    if tensor is None or tensor.edits or not is_pure(test, code):
        return None
    return f"{tensor.text}({ast.unparse(test)})"


def _only_line(statement: cst.If) -> cst.SimpleStatementLine | None:
    """The one simple statement of an `if`'s arm."""
    if not isinstance(statement.body, cst.IndentedBlock) or statement.body.footer:
        return None
    line = statement.body.body[0]
    return line if isinstance(line, cst.SimpleStatementLine) and len(line.body) == 1 else None


def _leaves_out(node: ast.If, only: ast.stmt) -> bool:
    """`if not x.any(): x = None`: the arm replaces by None what the test asks for any or all."""
    test = node.test.operand if isinstance(node.test, ast.UnaryOp) else node.test
    asked = isinstance(test, ast.Call) and isinstance(test.func, ast.Attribute) and test.func.attr in _EMPTY_TESTS
    if not asked or not isinstance(only, ast.Assign) or len(only.targets) != 1:
        return False
    target = only.targets[0]
    nothing = isinstance(only.value, ast.Constant) and only.value.value is None
    return (
        nothing
        and isinstance(target, ast.Name)
        and any(isinstance(one, ast.Name) and one.id == target.id for one in ast.walk(test))
    )
