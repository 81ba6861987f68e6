"""The dtype that a function asks its arguments for before it chooses a way: `if weight.dtype != torch.bfloat16`.

Read off the text: the tests of the function, and those of the functions of its module that these call. Does not belong
here: how a test comes out (`interp.truth`).

`converted_behind_a_test` asks whether a conversion stands behind a test of its own tensor's dtype, and so makes another
tensor: `if mask.dtype == torch.bool: mask = mask.to(torch.float)`.
"""

from __future__ import annotations

from collections.abc import Iterator

from compilelint.project.classes import FunctionInfo
from compilelint.survey.scopes import expressions, own_expressions, statements
from compilelint.syntax import ir
from compilelint.syntax.facts import fact
from compilelint.syntax.walk import dotted_name


def dtype_asked_for(code: FunctionInfo) -> str:
    """The first dtype of torch (`torch.bfloat16`) that a test compares one with; empty where none does."""
    return next(_asked(code, {s.name: s for s in code.module.ir.body if isinstance(s, ir.Function)}), "")


def converted_behind_a_test(function: ir.Function, pos: int) -> bool:
    """Whether the call at `pos`, `x.to(...)`, stands in an arm whose test asks for `x.dtype`."""
    return pos in fact(function, _converted)


def _converted(function: ir.Function) -> frozenset[int]:
    """The places of all such calls, read once a function."""
    return frozenset(
        one.pos
        for s, around in statements(function.body)
        for one in (expressions(own_expressions(s)) if around else ())
        if isinstance(one, ir.Call) and isinstance(one.func, ir.Attr) and one.func.name == "to"
        if any(_asks(block, s, f"{dotted_name(one.func.value)}.dtype") for block in around)
    )


def _asks(block: ir.Stmt, inner: ir.Stmt, name: str) -> bool:
    """Whether the test of the arm of `block` in which `inner` stands looks at `name`."""
    for test, body in block.arms if isinstance(block, ir.If) else ():
        if any(s is inner for s, _ in statements(body)):
            return any(isinstance(one, ir.Attr) and dotted_name(one) == name for one in expressions([test]))
    return False


def _asked(code: FunctionInfo, functions: dict[str, ir.Function]) -> Iterator[str]:
    for one in _tests(code.node):
        yield from _compared(one)
        called = functions.get(one.func.id) if isinstance(one, ir.Call) and isinstance(one.func, ir.Name) else None
        if called is not None and called is not code.node:
            for inner in _tests(called):
                yield from _compared(inner)


def _tests(node: ir.Function) -> Iterator[ir.Expr]:
    for s, _ in statements(node.body):
        if isinstance(s, ir.If):
            yield from expressions(own_expressions(s))


def _compared(e: ir.Expr) -> Iterator[str]:
    if isinstance(e, ir.Compare) and len(e.rights) == 1:
        sides = (e.left, e.rights[0])
        for one, other in (sides, sides[::-1]):
            name = dotted_name(other)
            if isinstance(one, ir.Attr) and one.name == "dtype" and name.startswith("torch."):
                yield name
