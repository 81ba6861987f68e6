"""A loop that skips its last step by a draw: `continue` before the call of a layer. Unsafe, as in `layers`."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from compilelint.fixes.engine.code import Code
from compilelint.fixes.engine.imports import spell
from compilelint.fixes.engine.laws import Offer, OnlyRuns
from compilelint.fixes.engine.lazy_cst import cst
from compilelint.fixes.engine.registry import rewrite
from compilelint.fixes.rewrites.skipped_layers import is_drawn, tensor_text, tested_branch
from compilelint.model import Edit, Finding, Fix, Safety, Span

_FLAG = "skipped"


@rewrite("branch", rank=7, rules=("CL101",))
def skipped_rest(finding: Finding, code: Code) -> Iterator[Offer]:
    """`if drawn < p: continue` before `h = layer(h, ...)` at the end of a loop: the layer runs, the result is chosen.

    Legal where the condition goes back to `torch.rand` in the same function, and that one assignment, of a call that
    is given the old value, is all that `continue` passes over. An `if` around it (`if self.training:`) sets a flag.
    Changes: the layer always runs, so where it would be skipped it still draws its random numbers and changes its
    state, and its parameters get gradients of zero instead of none.
    """
    span = finding.location.span
    node, function = tested_branch(finding, code), code.function(span)
    if node is None or function is None or node.orelse or not is_drawn(node.test, function, code):
        return
    if len(node.body) != 1 or not isinstance(node.body[0], ast.Continue):
        return
    path = code.path(span)
    above = path[path.index(node) - 1]
    outer: ast.If | None = None
    first: ast.stmt = node
    if isinstance(above, ast.If) and above.body[-1] is node and not above.orelse:
        outer, first = above, above
        above = path[path.index(above) - 1]
    layer = _last_step(above, first)
    where, test = spell(code, "torch.where", span), tensor_text(node.test, code, span)
    taken = any(isinstance(one, ast.Name) and one.id == _FLAG for one in ast.walk(function))
    if layer is None or where is None or where.edits or test is None or taken or isinstance(node.test, ast.BoolOp):
        return
    condition = test if outer is None else f"{where.text.removesuffix('.where')}.as_tensor({_FLAG})"
    target, value = layer.targets[0], code.piece(layer, code.span(layer.value))
    if value is None or not isinstance(value.node, cst.BaseExpression) or not isinstance(target, ast.Name):
        return
    choice = cst.Call(
        cst.parse_expression(where.text),
        [cst.Arg(cst.parse_expression(condition)), cst.Arg(cst.Name(target.id)), cst.Arg(value.node)],
    )
    last = node.end_lineno or node.lineno
    comments = _comments(node, code)
    if outer is None:
        indent = code.source.line(node.lineno)[: node.col_offset]
        text = "".join(f"{indent}{comment}\n" for comment in comments)
        gone = Edit(Span(node.lineno, 1, last + 1, 1), text)
        edits: tuple[Edit, ...] = (gone,)
    else:
        inner, indent = (code.source.line(one.lineno)[: one.col_offset] for one in (node, outer))
        text = "".join(f"{inner}{comment}\n" for comment in comments)
        edits = (
            Edit(Span(outer.lineno, 1, outer.lineno, 1), f"{indent}{_FLAG} = False\n"),
            Edit(Span(node.lineno, 1, last + 1, 1), f"{text}{inner}{_FLAG} = {ast.unparse(node.test)}\n"),
        )
    yield Offer(
        Fix(
            Safety.UNSAFE,
            "run the skipped layer too and choose with `torch.where`",
            (*edits, *value.replaced(value.node, choice)),
        ),
        (OnlyRuns("a layer that eager code skips would run, which changes random numbers, state and gradients"),),
    )


def _last_step(loop: ast.AST, before: ast.stmt) -> ast.Assign | None:
    """The assignment that ends a loop's body right behind a statement: a call that is given the name's old value."""
    if not isinstance(loop, (ast.For, ast.While)) or before not in loop.body or loop.body[-2:-1] != [before]:
        return None
    step = loop.body[-1]
    if not isinstance(step, ast.Assign) or len(step.targets) != 1 or not isinstance(step.value, ast.Call):
        return None
    target = step.targets[0]
    given = [one.id for one in step.value.args if isinstance(one, ast.Name)]
    return step if isinstance(target, ast.Name) and target.id in given else None


def _comments(node: ast.If, code: Code) -> list[str]:
    """The comments on the lines of a short `if`."""
    lines = (code.source.line(number) for number in range(node.lineno, (node.end_lineno or node.lineno) + 1))
    return ["#" + line.partition("#")[2] for line in lines if "#" in line]
