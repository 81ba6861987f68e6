"""Searches whose first hits are all that is wanted. Unsafe.

`mask.nonzero()` has as many rows as there are hits. Where one row is read, at a place that is known beforehand, a
custom operator gives it, with the IndexError of eager code where it is not there. Where rows become Python numbers,
`torch.nonzero_static(mask, size=...)` gives them at once; the rows that are missing are -1, and left out.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from compilelint.fixes.engine.code import Code, is_store, names_in
from compilelint.fixes.engine.imports import after_imports, spell
from compilelint.fixes.engine.laws import IsTensor, Offer, OnlyRuns
from compilelint.fixes.engine.lazy_cst import cst
from compilelint.fixes.engine.registry import rewrite
from compilelint.fixes.rewrites.custom_operators import namespace
from compilelint.model import Edit, Finding, Fix, Safety, Span
from compilelint.model.slotted import dataclass

_MOST_ROWS = 8


@rewrite("dynamic-shape", rank=2, rules=("CL120",))
def first_hit(finding: Finding, code: Code) -> Iterator[Offer]:
    """`mask.nonzero()[2]`, `torch.where(mask)[0][0]`: a custom operator searches, and reads the row.

    A row of the hits has a shape that is known before the search, so the graph goes on; the operator computes what
    stood there, and raises the same IndexError where there are fewer hits. Legal where the mask is a tensor and the
    index a constant that is not negative. Changes: the search is opaque to the compiler, and CUDA graphs leave it out.
    """
    span = finding.location.span
    path = code.path(span)
    call = next((one for one in reversed(path) if isinstance(one, ast.Call)), None)
    statement = next((one for one in reversed(path) if isinstance(one, ast.stmt)), None)
    torch = spell(code, "torch", span)
    searched = None if call is None else _searched(call)
    if call is None or statement is None or torch is None or torch.text != "torch" or searched is None:
        return
    above = [one for one in reversed(path[: path.index(call)]) if isinstance(one, ast.Subscript)]
    axis: int | None = None
    inner: ast.expr = call
    if _as_tuple(call):
        axis = _row(above[0], call) if above else None
        if axis is None:
            return
        inner, above = above[0], above[1:]
    row = _row(above[0], inner) if above else None
    piece = None if row is None else code.piece(statement, code.span(above[0]))
    mask = _test_text(code, searched)
    if row is None or piece is None or not isinstance(piece.node, cst.Subscript) or mask is None:
        return
    name = f"_hit_{row}" if axis is None else f"_hit_{row}_{axis}"
    edits = piece.replaced(piece.node, cst.parse_expression(f"{name}({mask})"))
    if not any(isinstance(one, ast.FunctionDef) and one.name == name for one in code.tree.body):
        if any(one.id == name for one in names_in(code.tree, lambda _: True)):
            return
        line = after_imports(code)
        imports = "".join(edit.text for edit in torch.edits)  # one edit: two at one place have no order
        edits = (Edit(Span(line, 1, line, 1), imports + _operator(name, row, axis, namespace(code))), *edits)
    yield Offer(Fix(Safety.UNSAFE, "search for the hit in a custom operator", edits), (IsTensor(searched),))


def _operator(name: str, row: int, axis: int | None, space: str) -> str:
    """The operator that reads one row of the hits, and how the row looks."""
    read = f"[{row}]" if axis is None else f"(as_tuple=True)[{axis}][{row}]"
    read = f"mask.nonzero(){read}" if axis is None else f"mask.nonzero{read}"
    sizes = "mask.dim()" if axis is None else "()"
    return f'''

@torch.library.custom_op(
    "{space}::{name.strip("_")}",
    mutates_args=(),
    schema="(Tensor mask) -> Tensor",
    tags=(torch.Tag.cudagraph_unsafe,),
)
def {name}(mask: torch.Tensor) -> torch.Tensor:
    return {read}.clone()


@{name}.register_fake
def _(mask):
    return torch.empty({sizes}, dtype=torch.int64, device=mask.device)
'''


@rewrite("dynamic-shape", rank=4, proven=True, rules=("CL120",))
def hits_as_numbers(finding: Finding, code: Code) -> Iterator[Offer]:
    """`hits = mask.nonzero()` that is only counted and read with `.item()`: the first few hits, read at once.

    `hits` becomes a list of Python numbers, made of as many rows as are asked for, so that the graph ends once and not
    at each read. Legal where the mask is a tensor of one dimension, its function assigns the name once, and every use
    of it is `len(hits)` compared with a constant, or `hits[row].item()` with a row that is a constant, or a name that
    only constants are assigned to. Changes: nothing; a row that is not there raises IndexError as before. Only with
    proof, since one break stays.
    """
    span, known = finding.location.span, finding.rewrite
    statement = next((one for one in reversed(code.path(span)) if isinstance(one, ast.stmt)), None)
    function = code.function(span)
    if not isinstance(statement, ast.Assign) or function is None or len(statement.targets) != 1 or known is None:
        return
    target, call = statement.targets[0], statement.value
    if not isinstance(target, ast.Name) or not isinstance(call, ast.Call) or code.span(call) != span:
        return
    searched = _searched(call)
    mask = None if _as_tuple(call) else _test_text(code, searched)
    uses = _read_as_numbers(target.id, function, code)
    static = spell(code, "torch.nonzero_static", span)
    line = code.source.line(statement.end_lineno or statement.lineno)
    behind = line[code.span(statement).end_column - 1 :].strip()
    if searched is None or mask is None or uses is None or static is None or static.edits:
        return
    if behind and not behind.startswith("#"):
        return
    indent = line[: len(line) - len(line.lstrip())] if statement.lineno == statement.end_lineno else ""
    if code.span(statement).column != len(indent) + 1:
        return
    listed = f"{static.text}({mask}, size={uses.rows}).squeeze(1).tolist()"
    end = Span(statement.lineno, len(line) + 1, statement.lineno, len(line) + 1)
    kept = f"\n{indent}{target.id} = [hit for hit in {target.id} if hit >= 0]"
    drops = (
        Edit(Span(read.end_line, read.end_column, whole.end_line, whole.end_column), "") for read, whole in uses.reads
    )
    fix = Fix(
        Safety.UNSAFE, "read the first hits at once, as Python numbers", (Edit(span, listed), Edit(end, kept), *drops)
    )
    one_dimension = () if known.fact("rank") == 1 else (OnlyRuns(f"`{mask}` may have more than one dimension"),)
    yield Offer(fix, (IsTensor(searched), *one_dimension))


# ---------------------------------------------------------------------- parts


@dataclass(frozen=True, slots=True)
class _Reads:
    """How many rows are ever asked for, and where one is read: the row, and the row with `.item()`."""

    rows: int
    reads: list[tuple[Span, Span]]


def _read_as_numbers(name: str, function: ast.FunctionDef | ast.AsyncFunctionDef, code: Code) -> _Reads | None:
    """All that a function does with a name it assigns once, if it only counts and reads numbers; else None."""
    if any(isinstance(one, (ast.Global, ast.Nonlocal)) and name in one.names for one in ast.walk(function)):
        return None
    if any(isinstance(one, ast.arg) and one.arg == name for one in ast.walk(function)):
        return None
    if len(list(names_in(function, lambda one: one.id == name and is_store(one)))) != 1:
        return None
    rows, reads = 1, []
    for use in names_in(function, lambda one: one.id == name and not is_store(one)):
        around = code.around(use)
        above = around[-1]
        if isinstance(above, ast.Call) and _is_len(above) and _counted(above, around[-2]) is not None:
            rows = max(rows, (_counted(above, around[-2]) or 0) + 1)
            continue
        method, read = (around[-2], around[-3]) if len(around) > 2 else (None, None)
        asked = _rows_of(above.slice, function) if isinstance(above, ast.Subscript) and above.value is use else None
        if asked is None or not isinstance(method, ast.Attribute) or method.attr != "item":
            return None
        if not isinstance(read, ast.Call) or read.func is not method or read.args or read.keywords:
            return None
        assert isinstance(above, ast.Subscript), "it has a slice"
        rows = max(rows, asked + 1)
        reads.append((code.span(above), code.span(read)))
    return _Reads(rows, reads) if reads and rows <= _MOST_ROWS else None


def _is_len(call: ast.Call) -> bool:
    return isinstance(call.func, ast.Name) and call.func.id == "len" and len(call.args) == 1 and not call.keywords


def _counted(call: ast.Call, above: ast.AST) -> int | None:
    """The constant that `len(hits)` is compared with."""
    if not isinstance(above, ast.Compare) or above.left is not call or len(above.ops) != 1:
        return None
    ordered = isinstance(above.ops[0], (ast.Eq, ast.NotEq, ast.Lt, ast.LtE, ast.Gt, ast.GtE))
    return _whole(above.comparators[0]) if ordered else None


def _rows_of(index: ast.expr, function: ast.FunctionDef | ast.AsyncFunctionDef) -> int | None:
    """The last row that an index can ask for: a constant, or a name that only constants are assigned to."""
    if not isinstance(index, ast.Name):
        values = [index.body, index.orelse] if isinstance(index, ast.IfExp) else [index]
        numbers = [_whole(one) for one in values]
        return None if None in numbers else max(one for one in numbers if one is not None)
    if any(isinstance(one, ast.arg) and one.arg == index.id for one in ast.walk(function)):
        return None
    stores = list(names_in(function, lambda one: one.id == index.id and is_store(one)))
    made = [
        one.value
        for one in ast.walk(function)
        if isinstance(one, ast.Assign) and len(one.targets) == 1 and one.targets[0] in stores
    ]
    rows = [None if isinstance(one, ast.Name) else _rows_of(one, function) for one in made]
    if not rows or None in rows or len(rows) != len(stores):
        return None
    return max(one for one in rows if one is not None)


def _searched(call: ast.Call) -> ast.expr | None:
    """The mask of `mask.nonzero()`, `torch.nonzero(mask)` or `torch.where(mask)`."""
    if not isinstance(call.func, ast.Attribute) or call.func.attr not in ("nonzero", "where"):
        return None
    if call.func.attr == "where":
        alone = len(call.args) == 1 and not call.keywords and ast.unparse(call.func) == "torch.where"
        return call.args[0] if alone else None
    if any(one.arg != "as_tuple" or not isinstance(one.value, ast.Constant) for one in call.keywords):
        return None
    if isinstance(call.func.value, ast.Name) and call.func.value.id == "torch":
        return call.args[0] if len(call.args) == 1 else None
    return None if call.args else call.func.value


def _as_tuple(call: ast.Call) -> bool:
    """Whether the hits come as one tensor a dimension, as `torch.where(mask)` gives them too."""
    if isinstance(call.func, ast.Attribute) and call.func.attr == "where":
        return True
    return any(isinstance(one.value, ast.Constant) and one.value.value is True for one in call.keywords)


def _row(subscript: ast.Subscript, of: ast.expr) -> int | None:
    """The constant index of `of[3]`."""
    number = _whole(subscript.slice) if subscript.value is of else None
    return number if number is not None and number < _MOST_ROWS else None


def _whole(node: ast.expr) -> int | None:
    """A constant that is a whole number, not below zero."""
    value = node.value if isinstance(node, ast.Constant) else None
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def _test_text(code: Code, node: ast.expr | None) -> str | None:
    """An expression as it stands in the file, of a comparison only the operator and what follows; None over lines."""
    if node is None:
        return None
    span = code.span(node)
    if isinstance(node, ast.Compare) and isinstance(node.left, ast.Call) and getattr(node.left.func, "id", "") == "len":
        left = code.span(node.left)
        span = Span(left.end_line, left.end_column, span.end_line, span.end_column)
    if span.line != span.end_line:
        return None
    text = code.source.line(span.line)[span.column - 1 : span.end_column - 1].strip()
    return None if "#" in text else text
