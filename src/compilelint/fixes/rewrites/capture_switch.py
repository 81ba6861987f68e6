"""The switch that keeps data-dependent numbers and shapes in the graph.

The last resort for reads and shapes that no local rewrite removes, and the one that TorchDynamo itself names: the file
sets `torch._dynamo.config.capture_scalar_outputs`, or `capture_dynamic_output_shape_ops`, when it is imported. Eager
code is untouched. Unsafe: the switch holds for everything that the process compiles from then on, graphs get sizes
that no backend can specialize on, and a later branch on such a number ends the graph there.

Measured (`benchmarks/fixes.md`): captured numbers and sizes turn breaks into errors, because a list index,
`torch.split`, `unbind` or `.tolist()` by such a size raises while compiling, and that may be in another file. So both
switches are tried only where each fix is proven (`compilelint fix`).
"""

from __future__ import annotations

import ast
import itertools
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Final

from compilelint.fixes.engine.code import Code
from compilelint.fixes.engine.imports import after_imports, spell
from compilelint.fixes.engine.registry import rewrite
from compilelint.model import Edit, Finding, Fix, Safety, Span

NUMBERS: Final = "capture_scalar_outputs"
SHAPES: Final = "capture_dynamic_output_shape_ops"
_IN_WORDS = {NUMBERS: "capture numbers read from tensors", SHAPES: "capture shapes that depend on data"}


@rewrite("mask", rank=3, proven=True)
@rewrite("dynamic-shape", rank=2, proven=True, rules=("CL120",))
def captured_shapes(finding: Finding, code: Code) -> Iterator[Fix]:
    """One assignment below the imports of the file captures shapes, for all findings that it fixes.

    Legal where the facts say that this switch alone removes the break in the target version, the file does not set it
    yet, and the name that the result is given is not asked for its length or shape in the function. Changes: the switch
    holds for the whole process; a later branch on such a size breaks the graph there, and splitting by it may raise.
    """
    known = finding.rewrite
    if known is not None and not known.fact(NUMBERS) and not _is_measured(finding, code):
        yield from _switched_on(finding, code)


@rewrite("host-read", rank=4, proven=True)
@rewrite("scalar-index", rank=1, proven=True)
@rewrite("mask", rank=4, proven=True)
@rewrite("dynamic-shape", rank=3, proven=True, rules=("CL102", "CL103", "CL120"))
def captured_numbers(finding: Finding, code: Code) -> Iterator[Fix]:
    """One assignment below the imports of the file captures numbers, and shapes that need both switches.

    Legal where the facts say that these switches remove the break in the target version, the file does not set them
    yet, and no call is given whether the number compares. Changes: the switches hold for the whole process; indexing a
    list or splitting by such a number may raise while compiling.
    """
    known = finding.rewrite
    if known is not None and (known.fact(NUMBERS) or _is_measured(finding, code)):
        yield from _switched_on(finding, code)


def _is_measured(finding: Finding, code: Code) -> bool:
    """Whether the function asks how long the result is: a number from data again, and mostly a branch on it."""
    span = finding.location.span
    path = code.path(span)
    statement = next((one for one in reversed(path) if isinstance(one, ast.stmt)), None)
    function = code.function(span)
    targets = statement.targets if isinstance(statement, ast.Assign) else []
    names = {one.id for target in targets for one in ast.walk(target) if isinstance(one, ast.Name)}
    if function is None or not names:
        return False
    for node in ast.walk(function):
        asked: ast.expr | None = None
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "len" and node.args:
            asked = node.args[0]
        elif isinstance(node, ast.Attribute) and node.attr in ("shape", "size", "numel", "tolist"):
            asked = node.value
        if isinstance(asked, ast.Name) and asked.id in names:
            return True
    return False


def _switched_on(finding: Finding, code: Code) -> Iterator[Fix]:
    known = finding.rewrite
    if is_passed_as_truth(finding, code):
        return
    wanted = [] if known is None else [name for name in (NUMBERS, SHAPES) if known.fact(name)]
    wanted = [name for name in wanted if name not in code.attributes]
    edits = switches(code, wanted)
    if edits:
        yield Fix(Safety.UNSAFE, title_of(wanted), edits, configures=True)


def is_passed_as_truth(finding: Finding, code: Code) -> bool:
    """Whether what is read is compared or negated, and the answer handed to a call.

    `y.requires_grad_(x.item() > 0)`: a captured answer is a symbol, which no flag can be, and compiling raises.
    """
    inner = [one for one in code.path(finding.location.span) if isinstance(one, (ast.expr, ast.keyword))]
    return any(
        isinstance(outer, (ast.Call, ast.keyword)) and _is_truth(given) for outer, given in itertools.pairwise(inner)
    )


def _is_truth(node: ast.AST) -> bool:
    """Whether an expression is a comparison, or `and`, `or` and `not`."""
    return isinstance(node, (ast.Compare, ast.BoolOp)) or (
        isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not)
    )


def title_of(wanted: Sequence[str]) -> str:
    """What these switches do, in words."""
    return " and ".join(_IN_WORDS[name] for name in wanted) + ", in this whole process"


def switches(code: Code, wanted: Sequence[str], values: Mapping[str, bool] = MappingProxyType({})) -> tuple[Edit, ...]:
    """The assignments of these switches below the imports; none if the file sets them, or torch has no name.

    A switch is turned on unless `values` say otherwise.
    """
    line = after_imports(code)
    at = Span(line, 1, line, 1)
    torch = spell(code, "torch", at)
    left = [name for name in wanted if name not in code.attributes]
    if not left or torch is None:
        return ()
    text = "".join(f"{torch.text}._dynamo.config.{name} = {values.get(name, True)}\n" for name in left)
    before = "".join(edit.text for edit in torch.edits)  # one edit: two at one place have no order
    return (Edit(at, f"{before}\n{text}"),)
