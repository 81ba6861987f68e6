"""Host functions that cannot be traced become custom operators: opaque to TorchDynamo, and part of the graph. Unsafe.

The scaffold is written below the imports of the file: an operator that runs the host function on the CPU, what its
results look like without running it (`register_fake`), and a function in place of the host one. That needs results
whose shapes follow from the shapes of the arguments; the functions that are known to be such are listed here.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from compilelint.fixes.engine.code import Code
from compilelint.fixes.engine.imports import after_imports, spell
from compilelint.fixes.engine.laws import Offer, OnlyRuns
from compilelint.fixes.engine.lazy_cst import cst
from compilelint.fixes.engine.registry import rewrite
from compilelint.model import Edit, Finding, Fix, Safety, Span
from compilelint.torchfacts.hosted import HOST_FUNCTIONS, HostFunction


@rewrite("host-function", rank=1, rules=("CL601",))
def custom_operator(finding: Finding, code: Code) -> Iterator[Offer]:
    """`linear_sum_assignment(cost)` of SciPy, and others, become custom operators, below the imports of the file.

    Legal where the engine knows the function, and the scaffold's names are free. Changes: the call does not end the
    graph; the results are tensors' arrays, of the same numbers; gradients are cut, as they were.
    """
    known, span = finding.rewrite, finding.location.span
    function = None if known is None else HOST_FUNCTIONS.get(str(known.fact("function")))
    path = code.path(span)
    call = next((one for one in reversed(path) if isinstance(one, ast.Call)), None)
    statement = next((one for one in reversed(path) if isinstance(one, ast.stmt)), None)
    torch = spell(code, "torch", span)
    if function is None or call is None or statement is None or torch is None or torch.text != "torch":
        return
    name = f"_{function.short}"
    if any(isinstance(one, ast.Starred) for one in call.args) or any(one.arg is None for one in call.keywords):
        return
    piece = code.piece(statement, code.span(call.func))
    if piece is None or not isinstance(piece.node, cst.BaseExpression):
        return
    edits = piece.replaced(piece.node, cst.Name(name))
    if not any(isinstance(one, ast.FunctionDef) and one.name == name for one in code.tree.body):
        line = after_imports(code)
        above = "".join(edit.text for edit in torch.edits)  # one edit: two at one place have no order
        edits = (Edit(Span(line, 1, line, 1), above + _scaffold(function, torch.text, namespace(code))), *edits)
    yield Offer(
        Fix(Safety.UNSAFE, "call it through a custom operator", edits),
        (OnlyRuns("no gradient goes through a custom operator"),),
    )


def _scaffold(function: HostFunction, torch: str, space: str) -> str:
    """The operator, what its results look like without running it, and a function in the place of the host one."""
    name, array, results = function.short, function.array, function.results
    given = ", ".join([array, *(one for one, _, _ in function.arguments)])
    wanted = ", ".join([array, *(f"{one}={default}" for one, _, default in function.arguments)])
    typed = ", ".join([f"Tensor {array}", *(f"{kind} {one}" for one, kind, _ in function.arguments)])
    kinds = "Tensor" if len(results) == 1 else f"({', '.join(['Tensor'] * len(results))})"
    names = ", ".join(one.name for one in results)
    rest = given.removeprefix(array)
    empty = "\n    ".join(
        f"{one.name} = {torch}.empty({one.shape}, dtype={one.dtype})".replace("{torch}", torch) for one in results
    )
    return f'''

@{torch}.library.custom_op(
    "{space}::{name}",
    mutates_args=(),
    schema="({typed}) -> {kinds}",
)
def _{name}_op({given}):
    from {function.module} import {name}

    {names} = {name}({array}.detach().cpu().numpy(){rest})
    return {", ".join(f"{torch}.as_tensor({one.name})" for one in results)}


@_{name}_op.register_fake
def _({given}):
    {empty}
    return {names}


def _{name}({wanted}):
    """`{function.name}` as a custom operator, which `torch.compile` keeps in the graph."""
    {names} = _{name}_op({torch}.as_tensor({array}){rest})
    return {", ".join(f"{one.name}.numpy()" for one in results)}

'''


def namespace(code: Code) -> str:
    """A namespace for operators: the name of the file, as far as it is a name."""
    stem = code.source.path.replace("\\", "/").rpartition("/")[2].partition(".")[0]
    kept = "".join(letter if letter.isalnum() or letter == "_" else "_" for letter in stem)
    return kept if kept.isidentifier() else f"_{kept}"
