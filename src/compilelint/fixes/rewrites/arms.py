"""Chains of arms that all end in the same statement: one statement, with the value chosen by `torch.where`. Unsafe.

`if a: out.append(x)`, `elif b: out.append(y)`, `else: out.append(z)` appends one value whatever is true, so the choice
is between values and not between ways. What the arms compute first stands above the choice. `branches` knows the `if`
whose arms assign names; here the arms may be more than two, and append, or assign to an attribute or an element.
"""

from __future__ import annotations

import ast
import itertools
from collections.abc import Iterator, Sequence
from typing import TypeAlias

from compilelint.fixes.engine.beliefs import Beliefs
from compilelint.fixes.engine.code import Code, is_store, names_in
from compilelint.fixes.engine.imports import spell
from compilelint.fixes.engine.laws import Alike, Assumption, IsTensor, Offer, OnlyRuns
from compilelint.fixes.engine.purity import is_pure
from compilelint.fixes.engine.registry import rewrite
from compilelint.fixes.rewrites.branches import can_be_chosen, guards_an_index, is_the_test, what_is_asked, without_bool
from compilelint.model import Edit, Finding, Fix, Safety, Span
from compilelint.model.slotted import dataclass

Part: TypeAlias = "str | list[Part]"  # an expression as text, or a call: what is called, and its arguments

_MOST_ARMS = 5
_FEW = 4  # statements that stand before the last one of an arm


@dataclass(frozen=True, slots=True)
class _Arm:
    """One arm: its test (None for `else`), what it computes first, and the value that its last statement ends in."""

    test: ast.expr | None
    before: list[ast.stmt]
    last: ast.stmt
    value: ast.expr


@rewrite("branch", rank=12, rules=("CL101",))
def chosen_arm(finding: Finding, code: Code) -> Iterator[Offer]:
    """`if a: out.append(x)`, `elif b: out.append(y)`, `else: out.append(z)`: one `out.append` of what is chosen.

    The arms may assign to one attribute or element instead. Legal where the tests are bool tensors, every arm ends in
    the same statement but for its value, computes before it no more than names that it alone uses, and there is an
    `else`. Changes: all arms are computed, and an assertion in an arm is always made; a number in an arm becomes a
    tensor.
    """
    span = finding.location.span
    node = next((one for one in reversed(code.path(span)) if isinstance(one, ast.stmt)), None)
    if not isinstance(node, ast.If) or not is_the_test(node.test, span, finding, code):
        return
    arms = _arms(node)
    where, function = spell(code, "torch.where", span), code.function(span)
    if arms is None or where is None or where.edits or function is None or not _may_be_joined(arms, function, code):
        return
    made = _joined(node, arms, where.text, finding.rewrite is not None and finding.rewrite.fact("rank") == 0, code)
    if made is None:
        return
    end = Span(node.lineno, 1, (node.end_lineno or node.lineno) + 1, 1)
    fix = Fix(Safety.UNSAFE, "compute every arm and choose with `torch.where`", (Edit(end, made),))
    yield Offer(fix, tuple(_assumed(arms, Beliefs(finding, code))))


def _assumed(arms: list[_Arm], beliefs: Beliefs) -> Iterator[Assumption]:
    for arm, other in itertools.pairwise(arms):
        assert arm.test is not None, "only the last arm has no test"
        yield IsTensor(what_is_asked(arm.test))
        yield Alike(arm.value, other.value, arm.test, beliefs)
    if len(arms) > 2:
        yield OnlyRuns("a later test may have dimensions that the first one has not")
    if any(arm.before for arm in arms):
        yield OnlyRuns("what an arm computes first may raise where it was not taken")


# ---------------------------------------------------------------------- the arms


def _arms(node: ast.If) -> list[_Arm] | None:
    """The arms of a whole chain, the last one without a test; None where one is empty or there is no `else`."""
    found: list[_Arm] = []
    block, test = [node.body], [node.test]
    while True:
        arm = _arm(test[-1], block[-1])
        if arm is None or len(found) == _MOST_ARMS:
            return None
        found.append(arm)
        if len(node.orelse) == 1 and isinstance(node.orelse[0], ast.If):
            node = node.orelse[0]
            block.append(node.body)
            test.append(node.test)
            continue
        last = _arm(None, node.orelse) if node.orelse else None
        return None if last is None else [*found, last]


def _arm(test: ast.expr | None, block: list[ast.stmt]) -> _Arm | None:
    value = _value(block[-1])
    return None if value is None or len(block) > _FEW + 1 else _Arm(test, block[:-1], block[-1], value)


def _value(statement: ast.stmt) -> ast.expr | None:
    """What `out.append(value)`, `self.x = value` and `x[0] = value` end in."""
    if isinstance(statement, ast.Assign) and len(statement.targets) == 1:
        return statement.value if isinstance(statement.targets[0], (ast.Attribute, ast.Subscript, ast.Name)) else None
    call = statement.value if isinstance(statement, ast.Expr) else None
    if not isinstance(call, ast.Call) or len(call.args) != 1 or call.keywords or isinstance(call.args[0], ast.Starred):
        return None
    appends = isinstance(call.func, ast.Attribute) and call.func.attr == "append"
    return call.args[0] if appends and isinstance(call.func, ast.Attribute) and _plain(call.func.value) else None


def _plain(node: ast.expr) -> bool:
    return all(isinstance(one, (ast.Name, ast.Attribute, ast.Load)) for one in ast.walk(node))


def _head(arm: _Arm) -> str:
    """What stands around the value, as text: `out.append(_)`, `self.x = _`."""
    if isinstance(arm.last, ast.Assign):
        return f"{ast.unparse(arm.last.targets[0])} = "
    assert isinstance(arm.last, ast.Expr), "the two kinds of last statements"
    assert isinstance(arm.last.value, ast.Call), "what is appended is given to a call"
    return ast.unparse(arm.last.value.func)


def _may_be_joined(arms: list[_Arm], function: ast.AST, code: Code) -> bool:
    """Whether all end alike, and everything they compute may be computed one after the other."""
    if len({_head(arm) for arm in arms}) != 1 or not _may_be_set(arms, code):
        return False
    kept = {name for arm in arms for name in _stored(arm)}
    inside = {id(one) for arm in arms for each in (*arm.before, arm.last) for one in ast.walk(each)}
    used = {one.id for one in names_in(function, lambda one: not is_store(one)) if id(one) not in inside}
    if kept & used or len(kept) != sum(len(_stored(arm)) for arm in arms):
        return False
    for arm in arms:
        others = kept - _stored(arm)
        values = [arm.value, *([] if arm.test is None else [arm.test])]
        for statement in arm.before:
            if not isinstance(statement, (ast.Assign, ast.Assert)):
                return False
            values.append(statement.value if isinstance(statement, ast.Assign) else statement.test)
        if any(
            not is_pure(one, code) or {name.id for name in names_in(one, lambda _: True)} & others for one in values
        ):
            return False
        if arm.test is not None and guards_an_index(arm.test, *(other.value for other in arms)):
            return False
    return all(can_be_chosen(arm.value, ast.Name("other")) for arm in arms)


def _may_be_set(arms: list[_Arm], code: Code) -> bool:
    """Whether computing where the value goes has no effects; names with two arms are what `branches` chooses."""
    last = arms[0].last
    if not isinstance(last, ast.Assign):
        return True
    return is_pure(last.targets[0], code) and (len(arms) > 2 or not isinstance(last.targets[0], ast.Name))


def _stored(arm: _Arm) -> set[str]:
    """The names that an arm gives values before its last statement."""
    return {one.id for statement in arm.before for one in names_in(statement, is_store)}


# ---------------------------------------------------------------------- the text


def _joined(node: ast.If, arms: list[_Arm], where: str, flat: bool, code: Code) -> str | None:
    """The lines in the place of the chain; None where a comment would be lost.

    `flat` says that the first test has no dimension; a test that asks the same value is taken to have none either.
    """
    lines = code.source.lines[node.lineno - 1 : node.end_lineno or node.lineno]
    indent = lines[0][: len(lines[0]) - len(lines[0].lstrip())]
    if any("#" in one or "\\" in one for one in lines) or code.span(node).column != len(indent) + 1:
        return None
    if lines[0].startswith("elif", len(indent)):
        return None
    before = [one for arm in arms for statement in arm.before for one in _moved(statement, indent, code)]
    chosen: list[Part] = [_text(arms[-1].value, code)]
    for arm in reversed(arms[:-1]):
        assert arm.test is not None, "only the last arm has no test"
        test = without_bool(arm.test)
        text = _text(test, code)
        if not (flat and _asks_alike(arm.test, node.test)):
            text = f"{text}.reshape(())" if isinstance(test, ast.Call) else f"({text}).reshape(())"
        chosen = [text, _text(arm.value, code), _call(where, chosen) if len(chosen) > 1 else chosen[0]]
    head = _head(arms[0])
    whole = _call(where, chosen)
    if isinstance(arms[0].last, ast.Assign):
        made = _written(whole, indent, head)
    else:
        made = _written(_call(head, [whole]), indent, "")
    return "".join(f"{one}\n" for one in [*before, *made])


_WIDTH = 88  # a line that is longer is broken at its brackets


def _call(head: str, arguments: Sequence[Part]) -> list[Part]:
    """A call as a list: what is called, and its arguments."""
    return [head, *arguments]


def _flat_text(part: Part) -> str:
    return part if isinstance(part, str) else f"{part[0]}({', '.join(map(_flat_text, part[1:]))})"


def _written(part: Part, indent: str, head: str, tail: str = "") -> list[str]:
    """A call on one line, or with each argument on lines of its own where that is too long."""
    line = f"{indent}{head}{_flat_text(part)}{tail}"
    if len(line) <= _WIDTH or isinstance(part, str):
        return [line]
    only = len(part) == 2
    inner = [text for one in part[1:] for text in _written(one, indent + "    ", "", "" if only else ",")]
    return [f"{indent}{head}{part[0]}(", *inner, f"{indent}){tail}"]


def _text(node: ast.expr, code: Code) -> str:
    return code.text(node) or ast.unparse(node)


def _moved(statement: ast.stmt, indent: str, code: Code) -> list[str]:
    """A statement as it stands, at another indentation."""
    lines = code.source.lines[statement.lineno - 1 : statement.end_lineno or statement.lineno]
    return [indent + line[statement.col_offset :] for line in lines[:1]] + [
        indent + line[statement.col_offset :] if not line[: statement.col_offset].strip() else line
        for line in lines[1:]
    ]


def _asks_alike(test: ast.expr, first: ast.expr) -> bool:
    """Whether a test compares the value that the first one compares, or is the first one."""
    both = isinstance(test, ast.Compare) and isinstance(first, ast.Compare)
    return test is first or (both and ast.dump(getattr(test, "left", test)) == ast.dump(getattr(first, "left", first)))
