"""Searches whose first hits are all that is wanted: `torch.nonzero_static` has a fixed shape. Unsafe.

`mask.nonzero()` has as many rows as there are hits. Where only the first few rows are read, at places that are known
beforehand, `torch.nonzero_static(mask, size=...)` gives these rows and no more. Changes: where there are fewer hits
than rows, eager code raised IndexError; now the missing rows are -1.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from compilelint.fixes.engine.code import Code, is_store, names_in
from compilelint.fixes.engine.imports import spell
from compilelint.fixes.engine.laws import Offer, OnlyRuns
from compilelint.fixes.engine.lazy_cst import cst
from compilelint.fixes.engine.purity import is_pure
from compilelint.fixes.engine.registry import rewrite
from compilelint.model import Edit, Finding, Fix, Safety, Span
from compilelint.model.slotted import dataclass

_MOST_ROWS = 8


@rewrite("dynamic-shape", rank=2, rules=("CL120",))
def first_hit(finding: Finding, code: Code) -> Iterator[Offer]:
    """`mask.nonzero()[2]` becomes `torch.nonzero_static(mask, size=3)[2]`; `mask.nonzero(as_tuple=True)[0][0]` alike.

    Legal where the index is a constant that is not negative. Changes: fewer hits than rows raise no IndexError, the
    rows are -1.
    """
    span = finding.location.span
    path = code.path(span)
    call = next((one for one in reversed(path) if isinstance(one, ast.Call)), None)
    statement = next((one for one in reversed(path) if isinstance(one, ast.stmt)), None)
    static = spell(code, "torch.nonzero_static", span)
    if call is None or statement is None or static is None or _searched(call) is None:
        return
    above = [one for one in reversed(path[: path.index(call)]) if isinstance(one, ast.Subscript)]
    axis: int | None = None
    if _as_tuple(call):
        axis = _row(above[0], call) if above else None
        inner: ast.expr = above[0] if above else call
        above = above[1:]
        if axis is None:
            return
    else:
        inner = call
    row = _row(above[0], inner) if above else None
    if row is None:
        return
    piece = code.piece(statement, code.span(above[0]))
    if piece is None or not isinstance(piece.node, cst.Subscript):
        return
    mask = _test_text(code, _searched(call))
    if mask is None:
        return
    index = str(row) if axis is None else f"{row}, {axis}"
    made = cst.parse_expression(f"{static.text}({mask}, size={row + 1})[{index}]")
    yield Offer(
        Fix(Safety.UNSAFE, "search for the first hits only", (*static.edits, *piece.replaced(piece.node, made))),
        (OnlyRuns("where nothing is found, eager code raises IndexError and this does not"),),
    )


@rewrite("dynamic-shape", rank=3, rules=("CL120",))
def counted_hits(finding: Finding, code: Code) -> Iterator[Offer]:
    """`hits = mask.nonzero()` that is only counted to choose a row: a fixed number of rows, chosen by `torch.where`.

    `row = 1 if len(hits) > 1 else 0` becomes `row = torch.where((mask).sum() > 1, 1, 0)`, and `hits[row]` indexes with
    a tensor of one element. Legal where that is all that happens to the name, and the mask is tensor math. Changes:
    fewer hits than rows raise no IndexError, the rows are -1.
    """
    span = finding.location.span
    path = code.path(span)
    statement = next((one for one in reversed(path) if isinstance(one, ast.stmt)), None)
    function = code.function(span)
    if not isinstance(statement, ast.Assign) or function is None or len(statement.targets) != 1:
        return
    target, call = statement.targets[0], statement.value
    if not isinstance(target, ast.Name) or not isinstance(call, ast.Call) or code.span(call) != span:
        return
    searched = _searched(call)
    mask = None if searched is None or not is_pure(searched, code) else _test_text(code, searched)
    if mask is None or _as_tuple(call):
        return
    uses = _uses(target.id, statement, function)
    spelled = [spell(code, name, span) for name in ("torch.nonzero_static", "torch.where")]
    if uses is None or spelled[0] is None or spelled[1] is None or spelled[0].edits or spelled[1].edits:
        return
    test = f"({mask}).sum() {_test_text(code, uses.test)}"
    choice = cst.parse_expression(f"{spelled[1].text}({test}, {uses.yes}, {uses.no})")
    rows = cst.parse_expression(f"{spelled[0].text}({mask}, size={max(uses.yes, uses.no) + 1})")
    edits: list[Edit] = []
    changes: list[tuple[ast.stmt, ast.expr, cst.BaseExpression]] = [
        (statement, call, rows),
        (uses.choice, uses.chosen, choice),
    ]
    for one in uses.picked:
        around = next(node for node in reversed(code.path(code.span(one))) if isinstance(node, ast.stmt))
        made = cst.parse_expression(f"{target.id}[{uses.name}.reshape(1)].squeeze(0)")
        changes.append((around, one, made))
    for around, old, new in changes:
        piece = code.piece(around, code.span(old))
        if piece is None or not isinstance(piece.node, cst.BaseExpression):
            return
        edits += piece.replaced(piece.node, new)
    yield Offer(
        Fix(Safety.UNSAFE, "search for the first hits, and choose among them with `torch.where`", tuple(edits)),
        (OnlyRuns("where nothing is found, eager code raises IndexError and this does not"),),
    )


# ---------------------------------------------------------------------- parts


@dataclass(frozen=True, slots=True)
class _Uses:
    """How a name is used: counted once to choose a row (`choice`, of the number `test` is a part), and then indexed."""

    choice: ast.stmt
    chosen: ast.IfExp
    test: ast.Compare
    yes: int
    no: int
    name: str
    picked: list[ast.Subscript]


def _uses(name: str, statement: ast.Assign, function: ast.AST) -> _Uses | None:
    choices = [
        one
        for one in ast.walk(function)
        if isinstance(one, ast.Assign) and isinstance(one.value, ast.IfExp) and _counts(one.value.test, name)
    ]
    if len(choices) != 1 or len(choices[0].targets) != 1 or choices[0].lineno < statement.lineno:
        return None
    choice, chosen, row = choices[0], choices[0].value, choices[0].targets[0]
    if not isinstance(chosen, ast.IfExp) or not isinstance(chosen.test, ast.Compare) or not isinstance(row, ast.Name):
        return None
    yes, no = _whole(chosen.body), _whole(chosen.orelse)
    picked = [
        one
        for one in ast.walk(function)
        if isinstance(one, ast.Subscript)
        and isinstance(one.ctx, ast.Load)
        and isinstance(one.value, ast.Name)
        and one.value.id == name
        and isinstance(one.slice, ast.Name)
        and one.slice.id == row.id
    ]
    reads = len(list(names_in(function, lambda one: one.id in (name, row.id) and not is_store(one))))
    writes = len(list(names_in(function, lambda one: one.id in (name, row.id) and is_store(one))))
    if yes is None or no is None or not picked or reads != 1 + 2 * len(picked) or writes != 2:
        return None
    return _Uses(choice, chosen, chosen.test, yes, no, row.id, picked)


def _counts(test: ast.expr, name: str) -> bool:
    """`len(name) > 1`, and other comparisons with a constant."""
    if not isinstance(test, ast.Compare) or len(test.ops) != 1 or _whole(test.comparators[0]) is None:
        return False
    left = test.left
    if not isinstance(left, ast.Call) or not isinstance(left.func, ast.Name) or left.func.id != "len":
        return False
    return len(left.args) == 1 and isinstance(left.args[0], ast.Name) and left.args[0].id == name


def _searched(call: ast.Call) -> ast.expr | None:
    """The mask of `mask.nonzero()` or `torch.nonzero(mask)`."""
    if not isinstance(call.func, ast.Attribute) or call.func.attr != "nonzero":
        return None
    if any(one.arg != "as_tuple" or not isinstance(one.value, ast.Constant) for one in call.keywords):
        return None
    if isinstance(call.func.value, ast.Name) and call.func.value.id == "torch":
        return call.args[0] if len(call.args) == 1 else None
    return None if call.args else call.func.value


def _as_tuple(call: ast.Call) -> bool:
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
