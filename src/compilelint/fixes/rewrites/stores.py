"""An `if` without an `else` that stores into what lives on: each store is made always, of what was chosen. Unsafe.

`if t: self.scale = v` becomes `self.scale = torch.where(t, v, self.scale)`, and what writes a tensor in place
(`copy_`, `fill_`, `add_`, `+=` to an attribute) writes what was there where the test is false, so that the tensor stays
the same one. `branches` knows the `if` whose arms assign names alone, `arms` those that end in the same statement.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from compilelint.fixes.engine.beliefs import Beliefs
from compilelint.fixes.engine.code import Code, is_store, names_in
from compilelint.fixes.engine.imports import spell
from compilelint.fixes.engine.laws import Alike, Assumption, IsTensor, Offer, OnlyRuns
from compilelint.fixes.engine.purity import is_pure
from compilelint.fixes.engine.registry import rewrite
from compilelint.fixes.rewrites.branches import can_be_chosen, guards_an_index, is_the_test, what_is_asked
from compilelint.model import Edit, Finding, Fix, Safety, Span
from compilelint.model.slotted import dataclass

_MOST_STORES = 6
_IN_PLACE = {"copy_": "", "fill_": "", "add_": "+", "sub_": "-", "mul_": "*", "div_": "/"}
_SIGNS = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/"}


@dataclass(frozen=True, slots=True)
class _Store:
    """One statement of the arm: what it stores into, the value, and whether the tensor that is there is written.

    `sign` is the arithmetic between what was there and the value; empty where the value takes its place.
    """

    target: ast.expr
    value: ast.expr
    in_place: bool = False
    sign: str = ""


@rewrite("branch", rank=13, rules=("CL101",))
def stored_always(finding: Finding, code: Code) -> Iterator[Offer]:
    """`if t: self.scale = v` becomes `self.scale = torch.where(t, v, self.scale)`.

    `self.scale.copy_(v)` and its like write the tensor that is there. Legal where the test is a bool tensor, there is
    no `else`, and the arm consists of a few stores of tensor math to attributes, elements and names that had a value
    before. Changes: the stores are always made, so that the version of a tensor is counted further, and a number
    becomes a tensor.
    """
    span = finding.location.span
    node = next((one for one in reversed(code.path(span)) if isinstance(one, ast.stmt)), None)
    if not isinstance(node, ast.If) or node.orelse or not is_the_test(node.test, span, finding, code):
        return
    stores = [_store(one) for one in node.body]
    where, function = spell(code, "torch.where", span), code.function(span)
    if where is None or where.edits or function is None or len(stores) > _MOST_STORES:
        return
    known = [one for one in stores if one is not None]
    if len(known) != len(stores) or not _may_always_run(known, node, function, code):
        return
    flat = finding.rewrite is not None and finding.rewrite.fact("rank") == 0
    text = _written(known, node, where.text, flat, function, code)
    if text is None:
        return
    end = Span(node.lineno, 1, (node.end_lineno or node.lineno) + 1, 1)
    fix = Fix(Safety.UNSAFE, "store always, what `torch.where` chooses", (Edit(end, text),))
    yield Offer(fix, tuple(_assumed(known, node, Beliefs(finding, code))))


def _assumed(stores: Sequence[_Store], node: ast.If, beliefs: Beliefs) -> Iterator[Assumption]:
    yield IsTensor(what_is_asked(node.test))
    for one in stores:
        if isinstance(one.target, ast.Name) or not one.in_place:
            yield Alike(one.value, one.target, node.test, beliefs)
    if any(not isinstance(one.target, ast.Name) for one in stores):
        yield OnlyRuns("other code may see that a tensor was stored where nothing was")


# ------------------------------------------------------------------------ the arm


def _store(statement: ast.stmt) -> _Store | None:
    """What one statement of the arm stores; None where it is no single store."""
    if isinstance(statement, ast.Assign) and len(statement.targets) == 1:
        target = statement.targets[0]
        return _Store(target, statement.value) if _is_place(target) or isinstance(target, ast.Name) else None
    if isinstance(statement, ast.AugAssign):
        sign = _SIGNS.get(type(statement.op), "")
        kept = _is_place(statement.target) and bool(sign)
        return _Store(statement.target, statement.value, True, sign) if kept else None
    call = statement.value if isinstance(statement, ast.Expr) else None
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute):
        return None
    place, name = call.func.value, call.func.attr
    if not _is_place(place):
        return None
    if name == "zero_" and not call.args and not call.keywords:
        return _Store(place, ast.Constant(0), True)
    if name not in _IN_PLACE or len(call.args) != 1 or call.keywords or isinstance(call.args[0], ast.Starred):
        return None
    return _Store(place, call.args[0], True, _IN_PLACE[name])


def _is_place(node: ast.expr) -> bool:
    """`self.scale`, `self.scale.data` and `self.scale[0]`: what lives on behind the function."""
    inner = node.value if isinstance(node, ast.Subscript) else node
    while isinstance(inner, ast.Attribute):
        inner = inner.value
    return isinstance(inner, ast.Name) and isinstance(node, (ast.Attribute, ast.Subscript))


def _may_always_run(stores: Sequence[_Store], node: ast.If, function: ast.AST, code: Code) -> bool:
    """Whether computing every value changes nothing else, and whatever is stored had a value before."""
    named = [one.target.id for one in stores if isinstance(one.target, ast.Name)]
    if len(named) == len(stores) or any(not _was_set(one, node, function) for one in named):
        return False  # names alone are what `branches` chooses
    if guards_an_index(node.test, *(one.value for one in stores)):
        return False
    return all(
        is_pure(one.value, code) and is_pure(one.target, code) and can_be_chosen(one.value, ast.Name("other"))
        for one in stores
    )


def _was_set(name: str, node: ast.If, function: ast.AST) -> bool:
    """Whether a name is a parameter, or is assigned by a statement of the function's own block above the `if`."""
    arguments = getattr(function, "args", None)
    given = [one.arg for one in ast.walk(arguments) if isinstance(one, ast.arg)] if arguments is not None else []
    above = [one for one in getattr(function, "body", ()) if (one.end_lineno or one.lineno) < node.lineno]
    plain = [one for one in above if isinstance(one, (ast.Assign, ast.AnnAssign))]
    return name in given or any(found.id == name for one in plain for found in names_in(one, is_store))


# ------------------------------------------------------------------------ the text


def _written(
    stores: Sequence[_Store], node: ast.If, where: str, flat: bool, function: ast.AST, code: Code
) -> str | None:
    """The lines in the place of the `if`; None where a comment would be lost.

    A test that a store before another changes, or that stands in several, is computed once.
    """
    lines = code.source.lines[node.lineno - 1 : node.end_lineno or node.lineno]
    indent = lines[0][: len(lines[0]) - len(lines[0].lstrip())]
    if any("#" in one or "\\" in one for one in lines) or lines[0].startswith("elif", len(indent)):
        return None
    asked = what_is_asked(node.test)
    test = ast.unparse(asked)
    if asked is not node.test and isinstance(node.test, ast.UnaryOp):
        test = f"~({test})"
    if not flat:
        test = f"{test if isinstance(asked, ast.Call) and test[0] != '~' else f'({test})'}.reshape(())"
    made = []
    if len(stores) > 1 and not isinstance(asked, ast.Name):
        used = {one.id for one in ast.walk(function) if isinstance(one, ast.Name)}
        name = next(one for one in ("chosen", "is_chosen", "chosen_here", "chosen_now") if one not in used)
        made.append(f"{indent}{name} = {test}")
        test = name
    for one in stores:
        place, value = ast.unparse(one.target), ast.unparse(one.value)
        if one.sign:
            value = f"{place} {one.sign} {value}" if isinstance(one.value, _ATOMS) else f"{place} {one.sign} ({value})"
        chosen = f"{where}({test}, {value}, {place})"
        made.append(f"{indent}{place}.copy_({chosen})" if one.in_place else f"{indent}{place} = {chosen}")
    return "".join(f"{one}\n" for one in made)


_ATOMS = (ast.Name, ast.Attribute, ast.Call, ast.Subscript, ast.Constant)
