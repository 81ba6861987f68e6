"""Rows picked by a mask, run through layers and put back: the layers run on all rows, the mask chooses. Unsafe.

How many rows a mask picks depends on data. Where everything between the pick and the put-back treats each row by
itself (`rowwise`), all rows may be run, and `torch.where` keeps what the mask does not mean.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field

from compilelint.fixes.engine.code import Code, FunctionNode, is_store, names_in
from compilelint.fixes.engine.imports import Spelled, spell
from compilelint.fixes.engine.purity import is_pure
from compilelint.fixes.engine.registry import rewrite
from compilelint.fixes.engine.rowwise import ROWS, RowWise
from compilelint.model import Edit, Finding, Fix, Safety, Span

_TITLE = "run all rows and choose with `torch.where`"
_UNKNOWN = ", though a layer is not known"

Mask = tuple[bool, str]  # whether it is inverted, and what of


@rewrite("mask", rank=3)
def all_rows(finding: Finding, code: Code) -> Iterator[Fix]:
    """`h = h.masked_scatter(m.unsqueeze(-1), layer(h[m]))` becomes `h = torch.where(m.unsqueeze(-1), layer(h), h)`.

    `a = layer(h[m])` with `h[m] += other(a)` further down the block becomes `a = layer(h)` with
    `h = torch.where(m.unsqueeze(-1), (h + other(a)).to(h.dtype), h)`. Legal where all that is done between the pick and
    the put-back treats each row by itself: `nn.Linear`, `LayerNorm`, `RMSNorm` and activations, elementwise functions,
    reductions over the last dimension, and classes of the file made of these; and, for `+=`, where `h` was computed in
    the function and nothing else holds it. Changes: the layers run on all rows, which costs what the mask saved; sums
    over rows in gradients may end in other digits, and a row without a finite value spoils a gradient even if the mask
    leaves it out.
    """
    yield from _of_all(finding, code, trust=False)


@rewrite("mask", rank=1, proven=True)
def all_rows_trusted(finding: Finding, code: Code) -> Iterator[Fix]:
    """The same with layers whose source is out of reach. To be proven before it is kept."""
    yield from _of_all(finding, code, trust=True)


def _of_all(finding: Finding, code: Code, trust: bool) -> Iterator[Fix]:
    known, span = finding.rewrite, finding.location.span
    path = code.path(span)
    owner = next((one for one in reversed(path) if isinstance(one, ast.ClassDef)), None)
    statement = next((one for one in reversed(path) if isinstance(one, ast.stmt)), None)
    pick = next((one for one in reversed(path) if isinstance(one, ast.Subscript)), None)
    where = spell(code, "torch.where", span)
    if known is None or known.fact("dtype") != "bool" or owner is None or where is None or where.edits:
        return
    if pick is None or span not in (code.span(pick), code.span(pick.slice)) or not isinstance(pick.value, ast.Name):
        return
    rows = RowWise(code, owner, trust)
    edits = _scattered(path, pick, rows, where) or _Block.of(statement, path, pick, rows, where)
    if edits:
        yield from _fix(edits, rows, trust)


def _fix(edits: list[Edit], rows: RowWise, trust: bool) -> Iterator[Fix]:
    if rows.trusted == trust:  # without a layer of unknown kind there is nothing to take on trust
        yield Fix(Safety.UNSAFE, _TITLE + (_UNKNOWN if trust else ""), tuple(edits))


# ------------------------------------------------------------------ `masked_scatter`


def _scattered(path: list[ast.AST], pick: ast.Subscript, rows: RowWise, where: Spelled) -> list[Edit]:
    code = rows.code
    call = next((one for one in path if isinstance(one, ast.Call) and _last_name(one) == "masked_scatter"), None)
    method = call.func if call is not None and isinstance(call.func, ast.Attribute) else None
    if call is None or method is None or call.keywords:
        return []
    if len(call.args) != 2 or not _same(method.value, pick.value) or _mask(call.args[0]) != _mask(pick.slice):
        return []
    if _mask(call.args[0]) is None or not is_pure(call.args[0], code):
        return []
    if rows.kind(call.args[1], {}, lambda one: one is pick) != ROWS:
        return []
    end, head = code.span(call.args[1]), code.span(method)
    name = ast.unparse(pick.value)
    return [
        Edit(Span(head.line, head.column, head.end_line, head.end_column), where.text),
        _without_mask(pick, code),
        Edit(Span(end.end_line, end.end_column, end.end_line, end.end_column), f", {name}"),
    ]


# ------------------------------------------------------------------ picked here, put back there


@dataclass
class _Block:
    """The statements of a block that pick, work on and put back rows of one tensor."""

    name: str
    rows: RowWise
    where: Spelled
    statement: ast.stmt
    names: dict[str, Mask] = field(default_factory=dict)
    edits: list[Edit] = field(default_factory=list)
    last: ast.stmt | None = None
    first: ast.stmt | None = None

    @classmethod
    def of(
        cls, statement: ast.stmt | None, path: list[ast.AST], pick: ast.Subscript, rows: RowWise, where: Spelled
    ) -> list[Edit]:
        """All edits that turn the block around a pick into one that picks nothing; none where that is not legal."""
        function = next((one for one in reversed(path) if isinstance(one, FunctionNode)), None)
        if statement is None or function is None or not isinstance(pick.value, ast.Name):
            return []
        above = path[path.index(statement) - 1]
        blocks = (getattr(above, "body", []), getattr(above, "orelse", []))
        block = next((one for one in blocks if isinstance(one, list) and statement in one), [])
        made = cls(pick.value.id, rows, where, statement)
        if not all(made._take(one) for one in block) or made.last is None or made.first is None:
            return []
        inside = block[block.index(made.first) : block.index(made.last) + 1]
        stays = made._stays_inside(function, inside, above) and made._is_not_bound_again(inside)
        if not stays or not _is_fresh(made.name, path, statement, inside):
            return []
        return made.edits

    def _take(self, statement: ast.stmt) -> bool:
        """Take a statement of the block in; False where it forbids the rewrite."""
        picks = self._picks(statement)
        touched = {one.id for one in ast.walk(statement) if isinstance(one, ast.Name)} & set(self.names)
        if not picks and not touched:
            return True
        self.first = self.first or statement
        self.last = statement
        if isinstance(statement, ast.AugAssign) and isinstance(statement.op, ast.Add):
            return self._put_back(statement, statement.target)
        if not isinstance(statement, ast.Assign) or len(statement.targets) != 1:
            return False
        target = statement.targets[0]
        if isinstance(target, ast.Subscript):
            return self._put_back(statement, target)
        mask = self._of_one_mask(statement.value, picks)
        if mask is None or not isinstance(target, ast.Name) or target.id == self.name:
            return False
        self.names[target.id] = mask
        self.edits += [_without_mask(one, self.rows.code) for one in picks]
        return True

    def _picks(self, statement: ast.stmt) -> list[ast.Subscript]:
        return [
            one
            for one in ast.walk(statement)
            if isinstance(one, ast.Subscript)
            and isinstance(one.value, ast.Name)
            and one.value.id == self.name
            and isinstance(one.ctx, ast.Load)
            and _mask(one.slice) is not None
        ]

    def _of_one_mask(self, value: ast.expr, picks: list[ast.Subscript]) -> Mask | None:
        """The mask that all rows in an expression were picked by; None where it is not row-wise, or no rows."""
        masks = {_mask(one.slice) for one in picks}
        used = {one.id for one in ast.walk(value) if isinstance(one, ast.Name)} & set(self.names)
        masks |= {self.names[one] for one in used}
        names = dict.fromkeys(used, ROWS)
        plain = [
            one.value.id
            for one in ast.walk(value)
            if isinstance(one, ast.Attribute) and one.attr in ("device", "dtype") and isinstance(one.value, ast.Name)
        ]
        names.update({one: ROWS for one in plain if one not in names and one == self.name})
        bare = {id(one.value) for one in ast.walk(value) if isinstance(one, (ast.Attribute, ast.Subscript))}
        if any(isinstance(one, ast.Name) and one.id == self.name and id(one) not in bare for one in ast.walk(value)):
            return None
        kind = self.rows.kind(value, names, lambda one: one in picks)
        return next(iter(masks)) if kind == ROWS and len(masks) == 1 else None

    def _put_back(self, statement: ast.Assign | ast.AugAssign, target: ast.expr) -> bool:
        if not isinstance(target, ast.Subscript) or not _named(target.value, self.name):
            return False
        code, mask = self.rows.code, _mask(target.slice)
        picks = self._picks(statement)
        if mask is None or self._of_one_mask(statement.value, picks) != mask or not is_pure(target.slice, code):
            return False
        place, value = code.span(target), code.span(statement.value)
        if place.line != value.line or "\\" in code.source.line(value.line):
            return False
        choice = f"{self.where.text}({_widened(mask)}, "
        closing = f", {self.name})"
        if isinstance(statement, ast.AugAssign):
            plain = isinstance(statement.value, (ast.Name, ast.Call, ast.Attribute, ast.Subscript))
            choice += f"({self.name} + " + ("" if plain else "(")
            closing = ("" if plain else ")") + f").to({self.name}.dtype)" + closing
        start = Span(place.line, place.column, value.line, value.column)
        end = Span(value.end_line, value.end_column, value.end_line, value.end_column)
        self.edits += [_without_mask(one, code) for one in picks]
        self.edits += [Edit(start, f"{self.name} = {choice}"), Edit(end, closing)]
        return True

    def _is_not_bound_again(self, inside: list[ast.stmt]) -> bool:
        """Whether the tensor and the masks are the same from the first pick to the last put-back."""
        fixed = {self.name, *(of for _, of in self.names.values())}
        return not any(one.id in fixed for statement in inside for one in names_in(statement, is_store))

    def _stays_inside(self, function: ast.AST, inside: list[ast.stmt], above: ast.AST) -> bool:
        """Whether picked rows are read in the block alone; the other arm of its `if` has values of its own."""
        known = {id(one) for statement in inside for one in ast.walk(statement)}
        if isinstance(above, ast.If):
            other = above.body if inside[0] in above.orelse else above.orelse
            known |= {id(one) for statement in other for one in ast.walk(statement)}
        return not any(
            isinstance(one, ast.Name) and one.id in self.names and id(one) not in known for one in ast.walk(function)
        )


def _is_fresh(name: str, path: list[ast.AST], statement: ast.stmt, inside: list[ast.stmt]) -> bool:
    """Whether a name holds what arithmetic made in the function, and no other name or container holds it too.

    Only then may it be bound again where the program wrote into it.
    """
    if not any(isinstance(one, (ast.Assign, ast.AugAssign)) and _writes_into(one, name) for one in inside):
        return True
    between: list[ast.stmt] = list(inside)
    at = path.index(statement)
    current: ast.AST = inside[0]
    while at > 0:
        above = path[at - 1]
        block = next(
            (
                one
                for one in (getattr(above, "body", []), getattr(above, "orelse", []))
                if isinstance(one, list) and current in one
            ),
            [],
        )
        for before in reversed(block[: block.index(current)] if block else []):
            if any(names_in(before, lambda one: one.id == name and is_store(one))):
                made = isinstance(before, ast.Assign) and isinstance(before.value, ast.BinOp)
                return made and not any(_hands_on(one, name) for one in between)
            between.append(before)
        if not isinstance(above, ast.If):
            return False
        current, at = above, at - 1
    return False


def _writes_into(statement: ast.Assign | ast.AugAssign, name: str) -> bool:
    target = statement.target if isinstance(statement, ast.AugAssign) else statement.targets[0]
    return isinstance(target, ast.Subscript) and _named(target.value, name)


def _hands_on(statement: ast.stmt, name: str) -> bool:
    """Whether a statement lets something else hold the tensor itself: `other = h`, `[h]`, `(h,)`, `f(h)` of a list."""
    for node in ast.walk(statement):
        held: list[ast.expr] = []
        if isinstance(node, ast.Assign):
            held = [node.value]
        elif isinstance(node, (ast.Tuple, ast.List, ast.Set)):
            held = list(node.elts)
        elif isinstance(node, ast.Dict):
            held = list(node.values)
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "append":
            held = list(node.args)
        if any(_named(one, name) for one in held):
            return True
    return False


# ---------------------------------------------------------------------- parts


def _named(node: ast.expr, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name


def _last_name(call: ast.Call) -> str:
    return call.func.attr if isinstance(call.func, ast.Attribute) else ""


def _same(one: ast.expr, other: ast.expr) -> bool:
    return ast.dump(one) == ast.dump(other)


def _mask(node: ast.expr) -> Mask | None:
    """What a mask is of, and whether it is inverted; `m.unsqueeze(-1)` and `m[..., None]` are of the same rows."""
    inverted = False
    while True:
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Invert):
            inverted, node = not inverted, node.operand
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "unsqueeze":
            if [ast.unparse(one) for one in node.args] != ["-1"] or node.keywords:
                return None
            node = node.func.value
        elif isinstance(node, ast.Subscript) and ast.unparse(node.slice) == "(..., None)":
            node = node.value
        else:
            return (inverted, node.id) if isinstance(node, ast.Name) else None


def _widened(mask: Mask) -> str:
    """The mask with one more dimension for the row."""
    inverted, of = mask
    return f"(~{of}).unsqueeze(-1)" if inverted else f"{of}.unsqueeze(-1)"


def _without_mask(pick: ast.Subscript, code: Code) -> Edit:
    """`h[m]` becomes `h`."""
    inner, whole = code.span(pick.value), code.span(pick)
    return Edit(Span(inner.end_line, inner.end_column, whole.end_line, whole.end_column), "")
