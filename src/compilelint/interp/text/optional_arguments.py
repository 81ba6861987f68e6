"""Arguments that a call may leave out, where code runs only for calls that pass them.

`if labels is not None:` of a parameter whose default is None: what happens below happens in calls with `labels`, and a
finding there should say so. Does not belong here: what such a test proves of the value (`truth`).
"""

from __future__ import annotations

from collections.abc import Iterator

from compilelint.interp.core.frame import Frame
from compilelint.syntax import ir


def given(f: Frame) -> tuple[str, ...]:
    """The optional arguments that are passed on the way to here: of this frame, and of those that lead to it."""
    own = [name for test, taken in f.around.tests for name in _needed(test, taken) if _is_optional(f, name)]
    return tuple(dict.fromkeys([*f.context.given, *own]))


def _needed(test: ir.Expr, taken: bool) -> Iterator[str]:
    """The names that are not None where a test comes out so."""
    if isinstance(test, ir.BoolOp):
        if (test.op == "and") is taken:
            for one in test.values:
                yield from _needed(one, taken)
    elif isinstance(test, ir.Unary) and test.op == "not":
        yield from _needed(test.operand, not taken)
    elif isinstance(test, ir.Compare) and len(test.rights) == 1 and isinstance(test.left, ir.Name):
        of_none = isinstance(test.rights[0], ir.Const) and test.rights[0].value is None
        if of_none and test.ops[0] in (("is not", "!=") if taken else ("is", "==")):
            yield test.left.id
    elif isinstance(test, ir.Name) and taken:
        yield test.id


def _is_optional(f: Frame, name: str) -> bool:
    params = () if f.function is None else f.function.node.params
    return any(p.name == name and isinstance(p.default, ir.Const) and p.default.value is None for p in params)
