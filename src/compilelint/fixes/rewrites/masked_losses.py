"""What a mask picks and a cross entropy averages: all rows go in, and those that are not picked are ignored. Unsafe.

`F.cross_entropy(logits[mask], labels[mask])` averages over the rows that the mask picks, whose number is data. The loss
has a label for rows that count for nothing, -100: with it under the mask's other side, all rows may go in.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from compilelint.fixes.engine.code import Code, is_store, names_in
from compilelint.fixes.engine.imports import spelled_target
from compilelint.fixes.engine.laws import Offer, OnlyRuns
from compilelint.fixes.engine.purity import is_pure
from compilelint.fixes.engine.registry import rewrite
from compilelint.model import Edit, Finding, Fix, Safety
from compilelint.model.slotted import dataclass

_LOSS = "torch.nn.functional.cross_entropy"
_LAYER = "torch.nn.CrossEntropyLoss"
_WORDS = tuple(name.rpartition(".")[2] for name in (_LOSS, _LAYER))  # a file that has none names neither
_IGNORED = -100  # what both ignore if they are not asked to ignore another label
_FLAT = frozenset({"view", "reshape", "flatten"})
_SAME = frozenset({"contiguous", "to", "float", "long"})


@dataclass(frozen=True, slots=True)
class _Pair:
    """The two subscripts by one mask whose values meet in a loss."""

    rows: ast.Subscript
    labels: ast.Subscript


@rewrite("mask", rank=5, rules=("CL120",))
def ignored_rows(finding: Finding, code: Code) -> Iterator[Offer]:
    """`F.cross_entropy(x[mask], y[mask])` gets all of `x`, and `y` with the label that is ignored outside the mask.

    That is `x.flatten(0, -2)` and `y.masked_fill(~mask, -100).flatten()`. The subscripts may stand in the call, or be
    all that two names are given, in one block, that the call alone uses.
    Legal where the loss is `F.cross_entropy` or a `nn.CrossEntropyLoss()` with nothing set, both are picked by one
    mask of as many dimensions as the labels, and computing the mask has no effects. Changes: rows that are not picked
    are computed as well, and NaN or infinity in them becomes NaN in their gradient.
    """
    if not any(word in code.source.text for word in _WORDS):
        return
    span = finding.location.span
    picked = next((one for one in reversed(code.path(span)) if isinstance(one, ast.Subscript)), None)
    function = code.function(span)
    if picked is None or function is None or span not in (code.span(picked), code.span(picked.slice)):
        return
    pair = _in_the_call(picked, function, code) or _in_two_names(picked, function, code)
    if pair is None or not is_pure(pair.labels.slice, code) or not _fits(finding, picked, pair):
        return
    rows, labels = code.text(pair.rows.value), code.text(pair.labels.value)
    mask = code.text(pair.labels.slice)
    if rows is None or labels is None or mask is None:
        return
    atom = isinstance(pair.labels.slice, (ast.Name, ast.Attribute, ast.Call, ast.Subscript))
    other = f"~{mask}" if atom else f"~({mask})"
    edits = (
        Edit(code.span(pair.rows), f"{_atom(pair.rows.value, rows)}.flatten(0, -2)"),
        Edit(
            code.span(pair.labels),
            f"{_atom(pair.labels.value, labels)}.masked_fill({other}, {_IGNORED}).flatten()",
        ),
    )
    yield Offer(
        Fix(Safety.UNSAFE, "let the loss ignore what the mask leaves out", edits),
        (OnlyRuns("NaN or infinity in a row that is not picked would reach its gradient"),),
    )


def _in_the_call(picked: ast.Subscript, function: ast.AST, code: Code) -> _Pair | None:
    """Both subscripts as the two arguments of one loss."""
    call = next((one for one in reversed(code.around(picked)) if isinstance(one, ast.expr)), None)
    given = _given(call, function, code) if isinstance(call, ast.Call) else None
    if given is None or picked not in given:
        return None
    return _paired(*given)


def _in_two_names(picked: ast.Subscript, function: ast.AST, code: Code) -> _Pair | None:
    """Both subscripts as what two names of one block are given; the names meet in a loss and nowhere else."""
    statement = next((one for one in reversed(code.around(picked)) if isinstance(one, ast.stmt)), None)
    block = _block_of(statement, code)
    name = _only_name(statement)
    if block is None or name is None:
        return None
    for call in [one for one in ast.walk(function) if isinstance(one, ast.Call)]:
        given = _given(call, function, code)
        names = None if given is None else tuple(_flattened_name(one) for one in given)
        if names is None or None in names or name not in names:
            continue
        made = [_given_to(one, block) for one in names]
        if made[0] is None or made[1] is None or not _used_there_only(set(names), call, function):
            return None
        return _paired(*made)
    return None


def _paired(rows: ast.expr | None, labels: ast.expr | None) -> _Pair | None:
    """Two subscripts by the same mask, which may be moved to another device for one of them."""
    if not isinstance(rows, ast.Subscript) or not isinstance(labels, ast.Subscript):
        return None
    masks = [_without_moves(one.slice) for one in (rows, labels)]
    plain = isinstance(rows.ctx, ast.Load) and not isinstance(labels.slice, (ast.Slice, ast.Tuple, ast.Constant))
    return _Pair(rows, labels) if plain and masks[0] == masks[1] else None


def _given(call: ast.Call, function: ast.AST, code: Code) -> tuple[ast.expr, ast.expr] | None:
    """What a plain cross entropy is given: scores and labels; None for other calls, and where more is asked."""
    if len(call.args) != 2 or call.keywords or any(isinstance(one, ast.Starred) for one in call.args):
        return None
    if spelled_target(call.func, code) != _LOSS and not _is_plain_layer(call.func, function, code):
        return None
    return call.args[0], call.args[1]


def _is_plain_layer(func: ast.expr, function: ast.AST, code: Code) -> bool:
    """`loss` or `self.loss`, made once, in the function or class, as `nn.CrossEntropyLoss()` with nothing set."""
    home: ast.AST | None = function
    if isinstance(func, ast.Attribute):
        home = next((one for one in reversed(code.around(func)) if isinstance(one, ast.ClassDef)), None)
    if home is None or not isinstance(func, (ast.Name, ast.Attribute)):
        return False
    text = ast.unparse(func)
    stores = [
        one
        for one in ast.walk(home)
        if isinstance(one, type(func)) and not isinstance(one.ctx, ast.Load) and ast.unparse(one) == text
    ]
    made = [
        one.value
        for one in ast.walk(home)
        if isinstance(one, ast.Assign) and len(one.targets) == 1 and one.targets[0] in stores
    ]
    plain = [
        one
        for one in made
        if isinstance(one, ast.Call)
        and not (one.args or one.keywords)
        and (spelled_target(one.func, code) or "").replace(".modules.loss.", ".") == _LAYER
    ]
    return bool(stores) and len(plain) == len(made) == len(stores)


def _flattened_name(node: ast.expr) -> str | None:
    """The name that `x`, `x.view(-1, n)` or `y.view(-1).to(z.device)` is made of."""
    while isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and not node.keywords:
        if node.func.attr in _FLAT and not _flattens(node):
            return None
        if node.func.attr not in _FLAT | _SAME:
            return None
        node = node.func.value
    return node.id if isinstance(node, ast.Name) else None


def _flattens(call: ast.Call) -> bool:
    """`.view(-1)`, `.view(-1, n)`, `.flatten()` and `.flatten(0, -2)` leave rows rows."""
    texts = [ast.unparse(one) for one in call.args]
    flatten = isinstance(call.func, ast.Attribute) and call.func.attr == "flatten"
    return texts in ([], ["0", "-2"], ["0", "1"]) if flatten else len(texts) in (1, 2) and texts[0] == "-1"


def _used_there_only(names: set[str | None], call: ast.Call, function: ast.AST) -> bool:
    """Whether nothing but the call reads the names, but for how long their last dimension is."""
    inside = {id(one) for one in ast.walk(call)}
    asked = {
        id(one.value if isinstance(one, ast.Subscript) else one.func)
        for one in ast.walk(function)
        if (isinstance(one, ast.Subscript) and ast.unparse(one).endswith(".shape[-1]"))
        or (isinstance(one, ast.Call) and ast.unparse(one).endswith(".size(-1)"))
    }
    allowed = {
        id(one.value) for one in ast.walk(function) if isinstance(one, ast.Attribute) and id(one) in asked
    } | inside
    return all(id(one) in allowed for one in names_in(function, lambda one: one.id in names and not is_store(one)))


def _given_to(name: str | None, block: list[ast.stmt]) -> ast.expr | None:
    """The subscript that a name is given in a block, `.contiguous()` behind it left out."""
    values = [one.value for one in block if isinstance(one, ast.Assign) and _only_name(one) == name]
    value = values[0] if len(values) == 1 else None
    while isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute) and value.func.attr in _SAME:
        value = value.func.value
    return value


def _only_name(statement: ast.stmt | None) -> str | None:
    if not isinstance(statement, ast.Assign) or len(statement.targets) != 1:
        return None
    return statement.targets[0].id if isinstance(statement.targets[0], ast.Name) else None


def _block_of(statement: ast.stmt | None, code: Code) -> list[ast.stmt] | None:
    if statement is None:
        return None
    above = code.around(statement)[-1]
    blocks = (getattr(above, name, None) for name in ("body", "orelse", "finalbody"))
    return next((one for one in blocks if isinstance(one, list) and statement in one), None)


def _without_moves(mask: ast.expr) -> str:
    """A mask as text, without the moves to another device in it."""

    class _Stays(ast.NodeTransformer):
        def visit_Call(self, node: ast.Call) -> ast.AST:
            inner = self.generic_visit(node)
            moved = isinstance(node.func, ast.Attribute) and node.func.attr == "to" and len(node.args) == 1
            where = ast.unparse(node.args[0]) if moved else ""
            return node.func.value if isinstance(node.func, ast.Attribute) and where.endswith(".device") else inner

    return ast.unparse(_Stays().visit(ast.parse(ast.unparse(mask), mode="eval")))


def _fits(finding: Finding, picked: ast.Subscript, pair: _Pair) -> bool:
    """Whether the ranks, as far as they are known, are those of rows and of their labels, and the mask holds bools."""
    known = finding.rewrite
    if known is None or known.fact("array") or known.fact("dtype") not in ("bool", None):
        return False
    own, of = known.fact("rank"), known.fact("of_rank")
    if own is None or of is None:
        return True
    return int(of) - int(own) == (1 if picked is pair.rows else 0)


def _atom(node: ast.expr, text: str) -> str:
    return text if isinstance(node, (ast.Name, ast.Attribute, ast.Call, ast.Subscript)) else f"({text})"
