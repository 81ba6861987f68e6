"""What lies on a frame's stack while a graph ends: methods that wait for their arguments or have just been called.

Measured on torch 2.13 and 2.15. Where a graph ends in a callee, Dynamo splits its caller at the call, and the code
behind the split gets from outside what lay on the stack.

- A method of a tensor that waits for its arguments (`x.add(rest(y))`) is called there as an object from outside, which
  Dynamo does not look into: a graph ends there, too.
- A method of an object that the region has made cannot be rebuilt: the caller is left to Python. That holds where the
  graph ends in its arguments, in the method itself, or in a call that is given the method.

Functions, layers, methods of what comes from outside, class methods, lambdas and `functools.partial` are rebuilt. A
property and `__call__` are not on the stack.
"""

from __future__ import annotations

from typing import Final

from compilelint.interp.core.args import Args
from compilelint.interp.core.frame import Frame
from compilelint.interp.core.refusals import refused
from compilelint.project.classes import FunctionInfo
from compilelint.syntax import ir
from compilelint.syntax.walk import last_name
from compilelint.values import BoundMethod, FunctionRef, Object, Tensor, Value

Outlived = tuple[Value, ...]
"""The objects that variables held at the last graph break before the call: they come from outside since."""

_CALLED: Final = "GB0007"  # "Attempted to call function marked as skipped"
_NOT_REBUILT: Final = "GB0092"  # "Reconstruction failure"


def behind_arguments(f: Frame, callee: Value, n: ir.Call, name: str, outlived: Outlived) -> None:
    """A graph has ended while the arguments of a method were computed."""
    if isinstance(callee, BoundMethod) and isinstance(callee.receiver, Tensor):
        refused(f, _CALLED, f"{name}() behind a graph break in its arguments", (callee.receiver,), n.pos)
    elif _is_made_here(f, callee, n.func, outlived):
        _left(f, name, n.pos)


def behind_call(f: Frame, callee: Value, args: Args, n: ir.Call, outlived: Outlived) -> None:
    """A graph has ended in a function of the program."""
    if isinstance(n.func, ir.Attr) and _is_made_here(f, callee, n.func, outlived):
        _left(f, n.func.name, n.pos)
        return
    for value, expr in zip(args.positional, n.args, strict=False):
        made = _is_made_here(f, value, expr, outlived)
        if made and isinstance(value, FunctionRef) and isinstance(value.code, FunctionInfo):
            _left(f, value.code.node.name, n.pos)
            return


def _is_made_here(f: Frame, value: Value, expr: ir.Expr, outlived: Outlived) -> bool:
    """Whether it is a method of an object of the program that this very function makes, or gets made.

    What the function is given comes from outside: where a graph ends in it, it is compiled by itself. So does what a
    variable held at an earlier graph break.
    """
    if not isinstance(value, FunctionRef) or not isinstance(value.receiver, Object) or not value.receiver.inside:
        return False
    if not isinstance(value.code, FunctionInfo) or value.code.node.name == "__call__" or f.function is None:
        return False
    if any(value.receiver is one for one in outlived):
        return False
    while isinstance(expr, (ir.Attr, ir.Index)):
        expr = expr.value
    if isinstance(expr, ir.Call) and last_name(expr.func) == "super":
        return False
    return not (isinstance(expr, ir.Name) and any(p.name == expr.id for p in f.function.node.params))


def _left(f: Frame, name: str, pos: int) -> None:
    refused(f, _NOT_REBUILT, f"method {name} of an object made here, on the stack at a graph break", (), pos)
