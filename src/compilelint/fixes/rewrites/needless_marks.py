"""`grid.requires_grad = False` of a tensor that never asked for a gradient is deleted. Safe."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from compilelint.fixes.engine.code import Code
from compilelint.fixes.engine.made_without_gradient import needs_no_gradient
from compilelint.fixes.engine.plain import lines_of
from compilelint.fixes.engine.registry import rewrite
from compilelint.model import Edit, Finding, Fix, Safety, Span


@rewrite("requires-grad", rank=0, rules=("CL501",))
def unmarked_already(finding: Finding, code: Code) -> Iterator[Fix]:
    """`grid.requires_grad = False` is deleted where `grid` is made of numbers in the same block.

    Legal where the statement stands on lines of its own beside others, and the tensor is made by a factory
    (`torch.arange`, `torch.zeros`, ...) without `requires_grad`, joined, shaped, cast or moved at most, and not
    mentioned in between. Changes: nothing.
    """
    path = code.path(finding.location.span)
    statement = next((one for one in reversed(path) if isinstance(one, ast.stmt)), None)
    if not isinstance(statement, ast.Assign) or len(statement.targets) != 1:
        return
    target, value = statement.targets[0], statement.value
    off = isinstance(value, ast.Constant) and value.value is False
    if not off or not isinstance(target, ast.Attribute) or target.attr != "requires_grad":
        return
    own = lines_of(statement, code)
    beside = next((one for one in reversed(code.around(statement)) if isinstance(one, (ast.stmt, ast.Module))), None)
    block = getattr(beside, "body", None)
    if own is None or not own.plain or not isinstance(block, list) or statement not in block or len(block) < 2:
        return
    if isinstance(target.value, ast.Name) and needs_no_gradient(target.value, code):
        gone = Edit(Span(own.first, 1, own.first + len(own.lines), 1), "")
        yield Fix(Safety.SAFE, "delete what changes nothing", (gone,))
