"""A loop over rows that fills each one up to a length of its own: one comparison of positions with all lengths."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from compilelint.fixes.engine.code import Code, names_in
from compilelint.fixes.engine.imports import spell
from compilelint.fixes.engine.laws import Offer, OnlyRuns
from compilelint.fixes.engine.registry import rewrite
from compilelint.model import Edit, Finding, Fix, Safety
from compilelint.model.slotted import dataclass

_BOUNDS = ("starts", "ends")


@dataclass(frozen=True, slots=True)
class _Fill:
    """`filled[row, :, lower:upper] = value`: the bounds as the tensors that hold one for each row, the dimension."""

    filled: ast.expr
    bounds: tuple[ast.expr | None, ast.expr | None]
    dim: int
    value: ast.expr


@rewrite("dynamic-shape", rank=13, rules=("CL103",))
def filled_by_length(finding: Finding, code: Code) -> Iterator[Offer]:
    """`for i in range(n): mask[i, : lengths[i]] = 1` becomes an assignment where positions are less than `lengths`.

    So do bounds from below, both, and one dimension before them. A length below zero counts from the end as before.
    Legal where the loop does nothing else, fills with a number that is spelled, and its variable is not read behind it.
    Changes: none where there are as many rows, lengths and turns of the loop; a proof asks that.
    """
    span = finding.location.span
    loop = next((one for one in reversed(code.path(span)) if isinstance(one, ast.For)), None)
    function, torch = code.function(span), spell(code, "torch", span)
    if loop is None or function is None or torch is None or torch.edits or not isinstance(loop.target, ast.Name):
        return
    fill = _fill_of(loop)
    if fill is None or not _is_range(loop.iter) or _is_read_elsewhere(loop.target.id, function):
        return
    place = code.span(loop)
    lines = [code.source.line(number) for number in range(place.line, place.end_line + 1)]
    taken = {one.id for one in names_in(function, lambda _: True)}
    if any("#" in one for one in lines):
        return
    names = [one if one not in taken else f"{one}_2" for one in ("positions", *_BOUNDS)]
    if taken & {one for one in names if one.endswith("_2")}:
        return
    yield Offer(
        Fix(Safety.UNSAFE, "fill all rows at once", (Edit(place, _text(fill, torch.text, names, lines[0])),)),
        (OnlyRuns("there may be more rows, or fewer, than lengths or turns of the loop"),),
    )


# ---------------------------------------------------------------------- parts


def _text(fill: _Fill, torch: str, names: list[str], first: str) -> str:
    """The statements in the place of the loop."""
    indent = first[: len(first) - len(first.lstrip())]
    filled = ast.unparse(fill.filled)
    size, device = f"{filled}.shape[{fill.dim}]", f"{filled}.device"
    where = names[0]
    lines, tests = [f"{where} = {torch}.arange({size}, device={device})"], []
    for name, bound, sign in zip(names[1:], fill.bounds, (">=", "<"), strict=True):
        if bound is not None:
            of = ast.unparse(bound)
            lines.append(f"{name} = {torch}.where({of} < 0, {of} + {size}, {of}).to({device})")
            tests.append(f"{where} {sign} {name}[:, None]")
    test = tests[0] if len(tests) == 1 else " & ".join(f"({one})" for one in tests)
    rows = filled if fill.dim == 1 else f"{filled}.transpose(1, 2)"
    lines.append(f"{rows}[{test}] = {ast.unparse(fill.value)}")
    return f"\n{indent}".join(lines)


def _is_range(node: ast.expr) -> bool:
    """`range(n)`, where asking for n does nothing else."""
    if not isinstance(node, ast.Call) or ast.unparse(node.func) != "range" or len(node.args) != 1 or node.keywords:
        return False
    calls = [one for one in ast.walk(node.args[0]) if isinstance(one, ast.Call)]
    return all(ast.unparse(one.func) == "len" or ast.unparse(one.func).endswith(".size") for one in calls)


def _fill_of(loop: ast.For) -> _Fill | None:
    """What a loop fills, if one such assignment is all that it does."""
    only = loop.body[0]
    if len(loop.body) != 1 or loop.orelse or not isinstance(only, ast.Assign) or len(only.targets) != 1:
        return None
    target, row = only.targets[0], ast.unparse(loop.target)
    if not isinstance(target, ast.Subscript) or not _is_number(only.value):
        return None
    if isinstance(target.value, ast.Subscript):  # `mask[i][: lengths[i]]`
        filled, index = target.value.value, [target.value.slice, target.slice]
    else:
        filled, index = target.value, list(target.slice.elts) if isinstance(target.slice, ast.Tuple) else []
    while len(index) > 2 and _is_whole(index[-1]):
        index.pop()
    dim = len(index) - 1
    bounded = index[-1] if dim in (1, 2) else None
    if not isinstance(bounded, ast.Slice) or bounded.step is not None or ast.unparse(index[0]) != row:
        return None
    if not _is_plain(filled) or not all(map(_is_whole, index[1:-1])):
        return None
    bounds = tuple(None if one is None else _of_row(one, row) for one in (bounded.lower, bounded.upper))
    given = [one for one in (bounded.lower, bounded.upper) if one is not None]
    found = [one for one in bounds if one is not None]
    if not given or len(found) != len(given) or any(ast.unparse(one) == ast.unparse(filled) for one in found):
        return None
    return _Fill(filled, (bounds[0], bounds[1]), dim, only.value)


def _of_row(node: ast.expr, row: str) -> ast.expr | None:
    """The tensor of which a bound is the element of the row."""
    own = isinstance(node, ast.Subscript) and ast.unparse(node.slice) == row and _is_plain(node.value)
    return node.value if own and isinstance(node, ast.Subscript) else None


def _is_plain(node: ast.expr) -> bool:
    """A name, or an attribute of one."""
    return isinstance(node, ast.Name) or (isinstance(node, ast.Attribute) and _is_plain(node.value))


def _is_whole(node: ast.expr) -> bool:
    return isinstance(node, ast.Slice) and node.lower is node.upper is node.step is None


def _is_number(node: ast.expr) -> bool:
    inner = node.operand if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub) else node
    return isinstance(inner, ast.Constant) and type(inner.value) in (int, float, bool)


def _is_read_elsewhere(name: str, function: ast.AST) -> bool:
    """Whether the variable of a loop is read where no loop gives it a value."""
    within = set()
    for node in ast.walk(function):
        if isinstance(node, ast.For) and isinstance(node.target, ast.Name) and node.target.id == name:
            within |= {id(one) for one in ast.walk(node)}
    return any(id(one) not in within for one in names_in(function, lambda one: one.id == name))
