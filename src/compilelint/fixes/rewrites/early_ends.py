"""A loop that ends early because a mask is empty: compiled, it runs to its end, where it changes nothing more.

`if not mask.any(): break` saves work in eager code and ends the graph in compiled code. Where the rest of the body does
nothing for an empty mask, what the loop carries stays as it is, the next mask is empty again, and so on to the end.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from compilelint.fixes.engine.code import Code, is_store, names_in
from compilelint.fixes.engine.imports import spell, spelled_target
from compilelint.fixes.engine.plain import lines_of, test_of
from compilelint.fixes.engine.purity import is_pure
from compilelint.fixes.engine.registry import rewrite
from compilelint.model import Edit, Finding, Fix, Safety, Span

_CASTS = frozenset({"bool", "byte", "double", "float", "half", "int", "long", "to", "type_as", "unsqueeze"})


@rewrite("branch", rank=8, rules=("CL101",))
def run_to_the_end(finding: Finding, code: Code) -> Iterator[Fix]:
    """`if not mask.any(): break` in a `for` becomes `if not torch.compiler.is_compiling() and not mask.any(): break`.

    Legal where the body only computes, the mask does not come from the loop's own variable, and behind the `break` a
    name is only changed where the mask is set: `v + a * mask`, `v | mask`, `torch.where(mask, a, v)`,
    `v.masked_fill(mask, a)`. Changes: nothing in eager code; compiled, all turns run, and a factor that is not finite
    gives NaN.
    """
    span = finding.location.span
    path = code.path(span)
    node = next((one for one in reversed(path) if isinstance(one, ast.stmt)), None)
    loop = code.around(node)[-1] if isinstance(node, ast.If) else None
    if not isinstance(node, ast.If) or not isinstance(loop, ast.For) or loop.orelse or node not in loop.body:
        return
    mask, counted = _empty(node.test)
    if mask is None or node.orelse or len(node.body) != 1 or not isinstance(node.body[0], ast.Break):
        return
    function = code.function(span)
    if function is None or not _changes_nothing_when_empty(loop, node, mask, function, code):
        return
    if counted and not any(_is_compared(one, mask) for one in loop.body):
        return  # numbers may add up to zero
    compiling, own = spell(code, "torch.compiler.is_compiling", span), lines_of(node, code)
    test = None if own is None else test_of(node, own)
    if compiling is None or compiling.edits or own is None or test is None:
        return
    at = Span(node.lineno, len(own.indent) + len("if ") + 1, node.lineno, len(own.indent) + len("if ") + 1)
    text = f"not {compiling.text}() and "
    yield Fix(Safety.UNSAFE, "run the loop to its end while compiling", (Edit(at, text),))


def _empty(test: ast.expr) -> tuple[str | None, bool]:
    """The mask that a test finds empty, None for any other test; whether by its sum: `not m.any()`, `m.sum() == 0`."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return _asked(test.operand, "any"), False
    if isinstance(test, ast.Compare) and len(test.ops) == 1 and isinstance(test.ops[0], ast.Eq):
        right = test.comparators[0]
        zero = isinstance(right, ast.Constant) and right.value == 0 and not isinstance(right.value, bool)
        return (_asked(test.left, "sum") if zero else None), True
    return None, False


def _is_compared(statement: ast.stmt, mask: str) -> bool:
    """Whether a statement makes the mask by comparing, so that it holds True and False alone."""
    made = _assigned(statement)
    if made is None or made[0] != mask:
        return False
    pending = [made[1]]
    while pending:
        value = pending.pop()
        if isinstance(value, ast.BinOp) and isinstance(value.op, (ast.BitAnd, ast.BitOr)):
            pending += [value.left, value.right]
        elif not isinstance(value, ast.Compare):
            return False
    return True


def _asked(call: ast.expr, name: str) -> str | None:
    """The name `m` of `m.any()` and `torch.any(m)`."""
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute) or call.func.attr != name:
        return None
    if call.keywords or len(call.args) > 1:
        return None
    asked = call.args[0] if call.args else call.func.value
    return asked.id if isinstance(asked, ast.Name) else None


def _changes_nothing_when_empty(loop: ast.For, end: ast.If, mask: str, function: ast.AST, code: Code) -> bool:
    """Whether a turn with an empty mask leaves all that the loop carries as it is, and the next mask empty."""
    at = loop.body.index(end)
    before, after = loop.body[:at], loop.body[at + 1 :]
    assigned = [_assigned(one) for one in (*before, *after)]
    if None in assigned or not all(is_pure(value, code) for _, value in filter(None, assigned)):
        return False
    made = dict(one for one in assigned[:at] if one is not None)
    carried = {name for name, _ in filter(None, assigned[at:])}
    if len(made) != at or mask not in made or made.keys() & carried or not _is_closed(loop, made, carried, function):
        return False
    turn = {one.id for one in ast.walk(loop.target) if isinstance(one, ast.Name)}
    if turn & _reached(mask, made):
        return False
    return all(_keeps(name, value, mask, code) for name, value in filter(None, assigned[at:]))


def _assigned(statement: ast.stmt) -> tuple[str, ast.expr] | None:
    """Name and new value of `v = e` and `v += e`."""
    if isinstance(statement, ast.Assign) and len(statement.targets) == 1:
        target = statement.targets[0]
        return (target.id, statement.value) if isinstance(target, ast.Name) else None
    if isinstance(statement, ast.AugAssign) and isinstance(statement.target, ast.Name):
        name = statement.target.id
        return name, ast.copy_location(ast.BinOp(ast.Name(name, ast.Load()), statement.op, statement.value), statement)
    return None


def _is_closed(loop: ast.For, made: dict[str, ast.expr], carried: set[str], function: ast.AST) -> bool:
    """Whether what a turn makes for itself is made before it is read, and read nowhere outside the loop."""
    inside = set(ast.walk(loop))
    outside = names_in(function, lambda name: name.id in made)
    if any(name not in inside for name in outside):
        return False
    known: set[str] = set()
    for name, value in made.items():
        read = {one.id for one in ast.walk(value) if isinstance(one, ast.Name)}
        if read & (made.keys() - known):
            return False
        known.add(name)
    return not any(is_store(name) and name.id in carried for name in names_in(loop.target, lambda _: True))


def _reached(name: str, made: dict[str, ast.expr]) -> set[str]:
    """The names that a value comes from, through those that the turn makes."""
    found: set[str] = set()
    pending = [name]
    while pending:
        value = made.get(pending.pop())
        new = {one.id for one in ast.walk(value) if isinstance(one, ast.Name)} - found if value is not None else set()
        found |= new
        pending.extend(new)
    return found


def _keeps(name: str, value: ast.expr, mask: str, code: Code) -> bool:
    """Whether a new value is the old one where the mask is empty."""
    if isinstance(value, ast.BinOp) and isinstance(value.op, (ast.Add, ast.Sub, ast.BitOr)):
        if isinstance(value.op, ast.BitOr):
            return {_name(value.left), _name(value.right)} == {name, mask}
        if _name(value.left) == name:
            return _is_zero(value.right, mask)
        return isinstance(value.op, ast.Add) and _name(value.right) == name and _is_zero(value.left, mask)
    if not isinstance(value, ast.Call) or value.keywords:
        return False
    if spelled_target(value.func, code) == "torch.where" and len(value.args) == 3:
        test, first, second = value.args
        if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Invert):
            return _name(test.operand) == mask and _name(first) == name
        return _name(test) == mask and _name(second) == name
    filled = isinstance(value.func, ast.Attribute) and value.func.attr == "masked_fill" and len(value.args) == 2
    return (
        filled
        and isinstance(value.func, ast.Attribute)
        and (_name(value.func.value), _name(value.args[0]))
        == (
            name,
            mask,
        )
    )


def _is_zero(value: ast.expr, mask: str) -> bool:
    """A product with the mask, or the mask as numbers."""
    if isinstance(value, ast.BinOp) and isinstance(value.op, ast.Mult):
        return _is_zero(value.left, mask) or _is_zero(value.right, mask)
    if isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute) and value.func.attr in _CASTS:
        return _is_zero(value.func.value, mask)
    if isinstance(value, ast.Subscript):
        return _is_zero(value.value, mask)
    return _name(value) == mask


def _name(node: ast.expr) -> str:
    return node.id if isinstance(node, ast.Name) else ""
