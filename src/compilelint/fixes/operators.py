"""Host functions that cannot be traced become custom operators: opaque to TorchDynamo, and part of the graph. Unsafe.

The scaffold is written below the imports of the file: an operator that runs the host function on the CPU, what its
results look like without running it (`register_fake`), and a function in place of the host one. That needs results
whose shapes follow from the shapes of the arguments; the functions that are known to be such are listed here.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping

import libcst as cst

from compilelint.fixes.code import Code
from compilelint.fixes.imports import after_imports, spell
from compilelint.model import Edit, Finding, Fix, Safety, Span

# `{torch}` is how the file spells torch, `{space}` a namespace of the file's own.
_ASSIGNMENT = '''

@{torch}.library.custom_op(
    "{space}::linear_sum_assignment",
    mutates_args=(),
    schema="(Tensor cost, bool maximize) -> (Tensor, Tensor)",
)
def _linear_sum_assignment_op(cost, maximize):
    from scipy.optimize import linear_sum_assignment

    rows, columns = linear_sum_assignment(cost.detach().cpu().numpy(), maximize)
    return {torch}.as_tensor(rows), {torch}.as_tensor(columns)


@_linear_sum_assignment_op.register_fake
def _(cost, maximize):
    size = min(cost.shape)
    return {torch}.empty(size, dtype={torch}.int64), {torch}.empty(size, dtype={torch}.int64)


def _linear_sum_assignment(cost, maximize=False):
    """`scipy.optimize.linear_sum_assignment` as a custom operator, which `torch.compile` keeps in the graph."""
    rows, columns = _linear_sum_assignment_op({torch}.as_tensor(cost), maximize)
    return rows.numpy(), columns.numpy()

'''
# The host function, how it is called then, and the text that makes that known.
SCAFFOLDS: Mapping[str, tuple[str, str]] = {
    "scipy.optimize.linear_sum_assignment": ("_linear_sum_assignment", _ASSIGNMENT),
}


def custom_operator(finding: Finding, code: Code) -> Iterator[Fix]:
    """`linear_sum_assignment(cost)` of SciPy becomes a custom operator, written below the imports of the file.

    Legal where the engine knows the function, and the scaffold's names are free. Changes: the call does not end the
    graph; the results are tensors' arrays, of the same numbers; gradients are cut, as they were.
    """
    known, span = finding.rewrite, finding.location.span
    function = None if known is None else known.fact("function")
    name, scaffold = SCAFFOLDS.get(str(function), ("", ""))
    path = code.path(span)
    call = next((one for one in reversed(path) if isinstance(one, ast.Call)), None)
    statement = next((one for one in reversed(path) if isinstance(one, ast.stmt)), None)
    torch = spell(code, "torch", span)
    if not name or call is None or statement is None or torch is None or torch.text != "torch":
        return
    if any(isinstance(one, ast.Starred) for one in call.args) or any(one.arg is None for one in call.keywords):
        return
    piece = code.piece(statement, code.span(call.func))
    if piece is None or not isinstance(piece.node, cst.BaseExpression):
        return
    edits = piece.replaced(piece.node, cst.Name(name))
    if not any(isinstance(one, ast.FunctionDef) and one.name == name for one in code.tree.body):
        line = after_imports(code)
        above = "".join(edit.text for edit in torch.edits)  # one edit: two at one place have no order
        text = scaffold.replace("{torch}", torch.text).replace("{space}", namespace(code))
        edits = (Edit(Span(line, 1, line, 1), above + text), *edits)
    yield Fix(Safety.UNSAFE, "call it through a custom operator", edits)


def namespace(code: Code) -> str:
    """A namespace for operators: the name of the file, as far as it is a name."""
    stem = code.source.path.replace("\\", "/").rpartition("/")[2].partition(".")[0]
    kept = "".join(letter if letter.isalnum() or letter == "_" else "_" for letter in stem)
    return kept if kept.isidentifier() else f"_{kept}"
