"""A print or a log of what a tensor holds is said by an operator of the graph: in its place and order, compiled too.

`silenced` takes such a call out of compiled code. This one keeps it: an operator with an effect stays in the graph in
its order, so all is said that eager code says, also where a later operator raises.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from compilelint.fixes.engine.code import Code
from compilelint.fixes.engine.imports import spell
from compilelint.fixes.engine.plain import lines_of
from compilelint.fixes.engine.registry import rewrite
from compilelint.fixes.rewrites.compiling_guards import only_speaks, own_statement
from compilelint.fixes.rewrites.raised_checks import free_name, kinds_of, operator_of
from compilelint.model import Edit, Finding, Fix, Safety, Span

_COMPILING = "torch.compiler.is_compiling"
_READS = frozenset({"item", "tolist"})  # what they give has no gradient that a text would show


@rewrite("output", rank=2, rules=("CL201", "CL202"))
def said_by_an_operator(finding: Finding, code: Code) -> Iterator[Fix]:
    """`print(f"loss {loss.item()}")` is said by a custom operator while compiling, and by eager code as it was.

    Legal where the call is a statement of its own, making its text has no effects, and every tensor in it is read by
    `.item()` or `.tolist()`, whose text is the same in an operator. All else that it reads must be sizes, annotated
    numbers, numbers of `self`, and what the file defines at its top. Changes: nothing in eager code; compiled, the same
    text comes in the same order, when the graph comes to it, and other prints without a tensor are not moved.
    """
    span = finding.location.span
    statement, function = own_statement(span, code, ast.Expr), code.function(span)
    torch, compiling = spell(code, "torch", span), spell(code, _COMPILING, span)
    if not isinstance(statement, ast.Expr) or function is None or torch is None or compiling is None:
        return
    if torch.edits or compiling.edits or torch.text != "torch" or not only_speaks(statement.value, code):
        return
    own, outermost = lines_of(statement, code), code.path(span)[1]
    kinds = kinds_of(statement, statement, function, code)
    if own is None or not own.plain or kinds is None or not isinstance(outermost, ast.stmt):
        return
    tensors = [one for one, (kind, _) in kinds.items() if kind.startswith("Tensor")]
    if not tensors or not all(_is_read(one, code) for one in _names(statement, tensors)):
        return
    name = free_name(f"_say_{function.name.strip('_')}", code)
    head = f"{own.indent}if {compiling.text}():"
    call = f"{own.indent}{code.indent}{name}({', '.join(text for _, text in kinds.values())})"
    end = (outermost.end_lineno or outermost.lineno) + 1
    edits = (
        *own.edits(head, call, f"{own.indent}else:", *own.below(code.indent)),
        Edit(Span(end, 1, end, 1), operator_of(statement, name, kinds, code)),
    )
    yield Fix(Safety.UNSAFE, "say it from an operator while compiling", edits)


def _names(statement: ast.stmt, tensors: list[str]) -> list[ast.Name]:
    return [one for one in ast.walk(statement) if isinstance(one, ast.Name) and one.id in tensors]


def _is_read(name: ast.Name, code: Code) -> bool:
    """Whether a tensor reaches the text only through `.item()` or `.tolist()`, or as a size."""
    for above in reversed(code.around(name)):
        if isinstance(above, ast.Attribute) and (above.attr in _READS or above.attr == "shape"):
            return True
        if isinstance(above, (ast.stmt, ast.FormattedValue, ast.keyword)):
            return False
    return False
