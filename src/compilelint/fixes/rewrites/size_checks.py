"""What eager code finds out about sizes that are read from data, stated to the compiler before it asks.

With captured numbers (`capture_switch`) a size is a symbol without a value, and an operation that must know more of it
than that raises while compiling. Some of these conditions are those under which eager code raises too: they are stated
before the operation, `torch._check(height > 0)`, which eager code checks and the compiler takes as a fact. Unsafe, one
fix together with the switch, and only tried where each fix is proven.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from compilelint.fixes.engine.code import Code, is_store, names_in
from compilelint.fixes.engine.imports import spell, spelled_target
from compilelint.fixes.engine.registry import rewrite
from compilelint.fixes.rewrites.capture_switch import NUMBERS, switches, title_of
from compilelint.model import Edit, Finding, Fix, Safety, Span

_SHAPED = ("reshape", "view")
_PLAIN = (ast.Name, ast.Constant, ast.BinOp, ast.operator, ast.expr_context)


@rewrite("host-read", rank=3, proven=True, rules=("CL102",))
def checked_sizes(finding: Finding, code: Code) -> Iterator[Fix]:
    """Numbers are captured, and what must hold for the sizes that are made of them is checked before they are used.

    Legal where a loop runs over what is read (`for h, w in sizes.tolist()`), or names are given it, and statements of
    the same block resize to these numbers (`F.interpolate(size=(h, w))`: each is more than 0), or leave one size open
    beside them (`x.reshape(h, w, -1)`: their product is not 0). Changes: the error that eager code raises for other
    sizes comes a little earlier, with other words; the switch holds for the whole process.
    """
    known = finding.rewrite
    span = finding.location.span
    torch = spell(code, "torch", span)
    if known is None or not known.fact(NUMBERS) or torch is None or torch.edits:
        return
    names, block = _captured(span, code)
    function = code.function(span)
    edits: list[Edit] = []
    for statement in block if function is not None else ():
        facts = list(dict.fromkeys(_facts(statement, names, code)))
        line = code.source.line(statement.lineno)
        indent = line[: statement.col_offset]
        lines = [f"{indent}{torch.text}._check({fact})" for fact in facts]
        above = set(code.source.lines[max(statement.lineno - 1 - len(lines), 0) : statement.lineno - 1])
        if indent.strip() or not lines or set(lines) <= above:
            continue
        edits.append(Edit(Span(statement.lineno, 1, statement.lineno, 1), "".join(f"{one}\n" for one in lines)))
    if edits:
        title = f"{title_of([NUMBERS])}, and check the sizes that are made of them"
        switch = switches(code, [NUMBERS])
        yield Fix(Safety.UNSAFE, title, (*switch, *edits), configures=bool(switch))


def _captured(span: Span, code: Code) -> tuple[set[str], list[ast.stmt]]:
    """The names that the numbers are given, and the statements of the block in which they have them."""
    path = code.path(span)
    at = next((index for index in range(len(path) - 1, -1, -1) if isinstance(path[index], ast.stmt)), None)
    if at is None:
        return set(), []
    statement, above = path[at], path[at - 1]
    if isinstance(statement, ast.For):
        inside = any(one in path for one in ast.walk(statement.iter))
        return ({one.id for one in names_in(statement.target, is_store)}, statement.body) if inside else (set(), [])
    if not isinstance(statement, ast.Assign):
        return set(), []
    blocks = [getattr(above, name, None) for name in ("body", "orelse")]
    block: list[ast.stmt] = next((one for one in blocks if isinstance(one, list) and statement in one), [])
    return {one.id for one in names_in(statement, is_store)}, block[block.index(statement) + 1 :] if block else []


def _facts(statement: ast.stmt, names: set[str], code: Code) -> Iterator[str]:
    """What must hold for the sizes in a simple statement, in the order in which eager code would find out."""
    if not isinstance(statement, (ast.Assign, ast.AugAssign, ast.Expr, ast.Return)):
        return
    calls = [one for one in ast.walk(statement) if isinstance(one, ast.Call)]
    for call in reversed(calls):  # the inner calls of a chain come first
        sizes = _resized(call, code)
        for one in sizes:
            if _is_of(one, names):
                yield f"{ast.unparse(one)} > 0"
        left = _beside_an_open_one(call)
        if any(_is_of(one, names) for one in left) and all(_is_plain(one) for one in left):
            bare = len(left) == 1
            texts = [
                ast.unparse(one) if bare or not isinstance(one, ast.BinOp) else f"({ast.unparse(one)})" for one in left
            ]
            yield f"{' * '.join(texts)} != 0"


def _resized(call: ast.Call, code: Code) -> list[ast.expr]:
    if spelled_target(call.func, code) != "torch.nn.functional.interpolate":
        return []
    size = next((one.value for one in call.keywords if one.arg == "size"), None)
    return list(size.elts) if isinstance(size, (ast.Tuple, ast.List)) else [] if size is None else [size]


def _beside_an_open_one(call: ast.Call) -> list[ast.expr]:
    """The other sizes of a `reshape` or `view` that leaves one open with -1; none for other calls."""
    if not isinstance(call.func, ast.Attribute) or call.func.attr not in _SHAPED or call.keywords:
        return []
    first = call.args[0] if len(call.args) == 1 else None
    sizes = first.elts if isinstance(first, (ast.Tuple, ast.List)) else call.args
    left = [one for one in sizes if ast.unparse(one) != "-1"]
    return left if len(left) == len(sizes) - 1 else []


def _is_plain(node: ast.expr) -> bool:
    return all(isinstance(one, _PLAIN) for one in ast.walk(node))


def _is_of(node: ast.expr, names: set[str]) -> bool:
    return _is_plain(node) and any(one.id in names for one in names_in(node, lambda _: True))
