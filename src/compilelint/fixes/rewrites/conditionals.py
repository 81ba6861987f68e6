"""Arms that call layers, as the two functions of `torch.cond`: only the one that is wanted runs. Only kept with proof.

Measured on torch 2.13.0 (eager mode, and compiled with the eager, aot_eager and inductor backends): without gradients
the results are equal. With gradients they are equal for arms without parameters; a layer of the arm that is not taken
gets a gradient of zero instead of none, an arm that draws random numbers draws others in the backward pass, arms of
different shapes raise, and so does an arm that returns one of its inputs itself.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from compilelint.fixes.engine.code import Code
from compilelint.fixes.engine.imports import spell, spelled_target
from compilelint.fixes.engine.purity import draws, is_pure
from compilelint.fixes.engine.registry import rewrite
from compilelint.fixes.rewrites.branches import had_value_before, is_the_test
from compilelint.model import Edit, Finding, Fix, Safety, Span


@rewrite("branch", rank=1, proven=True, rules=("CL101",))
def conditional_layer(finding: Finding, code: Code) -> Iterator[Fix]:
    """`if c: y = layer(x)`, with `else: y = other(x)` or a `y` from before, becomes `y = torch.cond(c, ...)`.

    Legal where the condition is a bool tensor on every path, each arm is one assignment of the same name, and no arm
    draws or writes in place by what it spells. Changes: in eager mode too the arms run inside `torch.cond`; with
    gradients, layers of the arm that is not taken get zeros instead of none.
    """
    span = finding.location.span
    path = code.path(span)
    node = next((one for one in reversed(path) if isinstance(one, ast.stmt)), None)
    function, cond = code.function(span), spell(code, "torch.cond", span)
    if not isinstance(node, ast.If) or function is None or cond is None or cond.edits:
        return
    if not is_the_test(node.test, span, finding, code) or isinstance(node.test, ast.UnaryOp):
        return
    if isinstance(node.test, ast.Compare) and len(node.test.ops) > 1:
        return  # `comparisons` makes it a tensor first
    assigned = _assigned(node, function)
    if assigned is None:
        return
    name, values = assigned
    if not all(_may_be_an_arm(one, code) for one in values) or all(is_pure(one, code) for one in values):
        return
    lines = [code.source.line(number) for number in range(node.lineno, (node.end_lineno or node.lineno) + 1)]
    texts = [code.text(one) for one in (node.test, *values)]
    if any("#" in line for line in lines) or None in texts or code.piece(node, code.span(node)) is None:
        return
    other = f"{name}.clone()" if len(values) == 1 else texts[2]
    flat = "" if finding.rewrite is not None and finding.rewrite.fact("rank") == 0 else ".reshape(())"
    test = texts[0] if not flat else f"({texts[0]}){flat}"
    indent = lines[0][: node.col_offset]
    step = indent + code.indent
    made = (
        f"{indent}{name} = {cond.text}(\n{step}{test},\n{step}lambda: {texts[1]},\n{step}lambda: {other},\n{indent})\n"
    )
    last = (node.end_lineno or node.lineno) + 1
    yield Fix(Safety.UNSAFE, "run one arm with `torch.cond`", (Edit(Span(node.lineno, 1, last, 1), made),))


def _assigned(node: ast.If, function: ast.AST) -> tuple[str, list[ast.expr]] | None:
    """The name that both arms assign and nothing else, and its values; one where the name had one before."""
    first = _only_value(node.body)
    second = _only_value(node.orelse) if node.orelse else None
    if first is None or (node.orelse and (second is None or second[0] != first[0])):
        return None
    if second is None:
        return (first[0], [first[1]]) if had_value_before(first[0], node, function) else None
    return first[0], [first[1], second[1]]


def _only_value(arm: list[ast.stmt]) -> tuple[str, ast.expr] | None:
    """The name and the value of an arm that is one plain assignment."""
    only = arm[0] if len(arm) == 1 else None
    if not isinstance(only, ast.Assign) or len(only.targets) != 1 or not isinstance(only.targets[0], ast.Name):
        return None
    return only.targets[0].id, only.value


def _may_be_an_arm(value: ast.expr, code: Code) -> bool:
    """Whether an expression calculates something new, and neither draws nor writes in place by what it spells."""
    if not isinstance(value, (ast.Call, ast.BinOp, ast.UnaryOp)):
        return False
    for node in ast.walk(value):
        if isinstance(node, (ast.NamedExpr, ast.Await, ast.Yield, ast.YieldFrom, ast.Lambda)):
            return False
        if isinstance(node, ast.Call):
            last = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "_")
            if last.endswith("_") or draws(spelled_target(node.func, code) or last):
                return False
    return True
