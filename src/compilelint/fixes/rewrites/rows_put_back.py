"""Rows that a mask picks, that a function computes with, and that go back by the same mask: all rows are computed.

What picks has a shape that the data decides; `torch.where` with the same mask leaves the rows alone that were not
picked. Whether the function works row by row only a run can show, so it is kept by `compilelint fix` alone.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from compilelint.fixes.engine.code import Code, is_store, names_in
from compilelint.fixes.engine.imports import Spelled, spell
from compilelint.fixes.engine.laws import Offer, OnlyRuns
from compilelint.fixes.engine.registry import rewrite
from compilelint.fixes.rewrites.indexing import elementwise
from compilelint.model import Edit, Finding, Fix, Safety
from compilelint.model.slotted import dataclass

_TITLES = {
    "": "compute all rows and choose with `torch.where`",
    "[..., None]": "compute all rows and choose whole rows with `torch.where`",
}
_MADE = frozenset(
    """
    empty full full_like empty_like new_empty new_full new_ones new_zeros ones ones_like rand zeros zeros_like
    """.split()
)


@dataclass(frozen=True, slots=True)
class _Rows:
    """What puts rows back, by which mask, and everything that picks by it on the way there."""

    back: ast.Assign
    mask: ast.expr
    picks: list[ast.Subscript]


@rewrite("mask", rank=1, proven=True, rules=("CL120",))
def all_rows_put_back(finding: Finding, code: Code) -> Iterator[Offer]:
    """`p = a[mask]`, `out[mask] = f(p, b[mask])` becomes `p = a`, `out = torch.where(mask, f(p, b), out)`.

    `out.copy_(...)` stands there where `out` was not made in the function just before.
    Legal where the statements stand in one block, the mask is a name that nothing writes in between, and each name that
    holds picked rows is written once and read only by what is put back. Changes: the function sees all rows, so one
    that does not work row by row gives another result, and one that raises or makes NaN for a row that was not picked
    may do so.
    """
    span = finding.location.span
    path = code.path(span)
    statement = next((one for one in reversed(path) if isinstance(one, ast.stmt)), None)
    function = code.function(span)
    where = spell(code, "torch.where", span)
    if statement is None or function is None or where is None or len(path) < 2:
        return
    if finding.rewrite is None or finding.rewrite.fact("dtype") not in ("bool", None):
        return
    block = _block_of(statement, path)
    found = None if block is None else _rows(statement, block, function, code)
    if found is None or block is None:
        return
    for row, title in _TITLES.items():
        edits = _edits(found, block, row, where, code)
        if edits is None:
            return
        yield Offer(
            Fix(Safety.UNSAFE, title, (*where.edits, *edits)),
            (OnlyRuns("what is computed may not work row by row"),),
        )


# ---------------------------------------------------------------------- what is there


def _block_of(statement: ast.stmt, path: list[ast.AST]) -> list[ast.stmt] | None:
    above = path[path.index(statement) - 1]
    blocks = (getattr(above, name, None) for name in ("body", "orelse"))
    return next((one for one in blocks if isinstance(one, list) and statement in one), None)


def _rows(statement: ast.stmt, block: list[ast.stmt], function: ast.AST, code: Code) -> _Rows | None:
    """What is put back by the mask that picks in a statement, and all that is picked for it."""
    masks = {ast.dump(one.slice): one.slice for one in _picks(statement)}
    at = block.index(statement)
    for back in block[at:]:
        target = back.targets[0] if isinstance(back, ast.Assign) and len(back.targets) == 1 else None
        if not isinstance(target, ast.Subscript) or not isinstance(target.value, ast.Name):
            continue
        mask = masks.get(ast.dump(target.slice))
        if not isinstance(back, ast.Assign) or not isinstance(mask, ast.Name):
            continue
        if not any(isinstance(one, ast.Call) for one in ast.walk(back.value)):
            return None
        found = _picked_for(back, mask, block, function)
        if found is None or not any(one in found for one in _picks(statement)):
            return None
        if all(one in set(ast.walk(back.value)) for one in found) and elementwise(back.value, ast.dump(mask), [], code):
            return None  # `masked_assignment` answers it
        first = min(block.index(one) for one in block if any(pick in found for pick in _picks(one)))
        between = block[first : block.index(back)]
        if any(_writes(one, mask.id) or _writes(one, target.value.id) for one in between):
            return None
        return _Rows(back, mask, found)
    return None


def _picks(statement: ast.AST) -> list[ast.Subscript]:
    """`rows[mask]`, read, by a name."""
    return [
        one
        for one in ast.walk(statement)
        if isinstance(one, ast.Subscript) and isinstance(one.ctx, ast.Load) and isinstance(one.slice, ast.Name)
    ]


def _picked_for(
    back: ast.Assign, mask: ast.Name, block: list[ast.stmt], function: ast.AST
) -> list[ast.Subscript] | None:
    """All that is picked by the mask for what is put back; None where a part of it is read by something else too."""
    found = [one for one in _picks(back.value) if ast.dump(one.slice) == ast.dump(mask)]
    inside = {one.id for one in names_in(back.value, lambda one: not is_store(one))}
    for one in block[: block.index(back)]:
        if not isinstance(one, ast.Assign) or len(one.targets) != 1:
            continue
        target, value = one.targets[0], one.value
        whole = isinstance(value, ast.Subscript) and ast.dump(value.slice) == ast.dump(mask)
        if not isinstance(target, ast.Name) or not whole or target.id not in inside:
            continue
        uses = list(names_in(function, lambda use, name=target.id: use.id == name))  # type: ignore[misc]
        own = set(ast.walk(back.value)) | {target}
        if any(use not in own for use in uses):
            return None
        assert isinstance(value, ast.Subscript), "it is the pick itself"
        found.append(value)
    return found or None


def _writes(statement: ast.stmt, name: str) -> bool:
    """Whether a statement binds a name, or calls what changes its tensor in place."""
    for one in ast.walk(statement):
        if isinstance(one, ast.Name) and one.id == name and is_store(one):
            return True
        if isinstance(one, ast.Subscript) and is_written(one) and _is_name(one.value, name):
            return True
        if isinstance(one, ast.Attribute) and one.attr.endswith("_") and _is_name(one.value, name):
            return True
    return False


def is_written(node: ast.Subscript) -> bool:
    """Whether an element is stored or deleted."""
    return not isinstance(node.ctx, ast.Load)


def _is_name(node: ast.expr, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name


# ---------------------------------------------------------------------- what becomes of it


def _edits(found: _Rows, block: list[ast.stmt], row: str, where: Spelled, code: Code) -> list[Edit] | None:
    """Every pick without its mask, and the choice in the place of what was put back; None where lines are shared."""
    edits = []
    inside = set(ast.walk(found.back))
    for pick in found.picks:
        if pick in inside:
            continue
        text = _unpicked(pick, code)
        if text is None:
            return None
        edits.append(Edit(code.span(pick), text))
    target = found.back.targets[0]
    assert isinstance(target, ast.Subscript), "it puts rows back"
    value = _without(found.back.value, [one for one in found.picks if one in inside], code)
    if value is None or not isinstance(target.value, ast.Name) or not isinstance(found.mask, ast.Name):
        return None
    whole, mask = target.value.id, found.mask.id + row
    chosen = f"{where.text}({mask}, {value}, {whole})"
    text = f"{whole} = {chosen}" if _is_made_here(whole, found, block) else f"{whole}.copy_({chosen})"
    return [*edits, Edit(code.span(found.back), text)]


def _unpicked(pick: ast.Subscript, code: Code) -> str | None:
    """`rows[mask]` without its mask, over the lines that it has."""
    text = code.text(pick.value)
    if text is not None and isinstance(pick.value, (ast.BinOp, ast.UnaryOp, ast.BoolOp, ast.Compare, ast.IfExp)):
        return f"({text})"
    return text


def _without(value: ast.expr, picks: list[ast.Subscript], code: Code) -> str | None:
    """An expression as it is written, each of the picks without its mask."""
    whole, text = code.span(value), code.text(value)
    for pick in sorted(picks, key=lambda one: one.col_offset, reverse=True):
        inner, at = _unpicked(pick, code), code.span(pick)
        if text is None or inner is None:
            return None
        start, end = at.column - whole.column, at.end_column - whole.column
        text = text[:start] + inner + text[end:]
    return text


def _is_made_here(name: str, found: _Rows, block: list[ast.stmt]) -> bool:
    """Whether a tensor was made in the same block, and nothing has read it since."""
    for one in reversed(block[: block.index(found.back)]):
        if isinstance(one, ast.Assign) and len(one.targets) == 1 and _is_name(one.targets[0], name):
            call = one.value
            return isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.func.attr in _MADE
        if any(names_in(one, lambda use: use.id == name)):
            return False
    return False
