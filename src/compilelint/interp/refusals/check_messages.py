"""The message of `torch._check(condition, message)`, which Dynamo makes part of the graph.

Measured on torch 2.13 and 2.15: a lambda is taken unless what it reads from around it is a tensor, sizes and numbers
being fine; a method is not taken. (A function of the module is taken by 2.15 and not by 2.13: not judged.)
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from compilelint.interp.core.args import Args
from compilelint.interp.core.frame import Frame
from compilelint.interp.core.refusals import refusal
from compilelint.interp.text.usage import expressions_of
from compilelint.project.classes import FunctionInfo
from compilelint.syntax import ir
from compilelint.torchfacts import Fact
from compilelint.values import FunctionRef, tensor_arm

_CLOSURE: Final = "GB9158"  # "Can't convert torch._check*() message closure"
_NO_FUNCTION: Final = "GB9840"  # "Can't extract message from torch._check*()"


def unreadable(f: Frame, args: Args) -> Fact | None:
    """The fact on a check whose message Dynamo cannot take; None where it can, or where nothing is known of it."""
    message = args.get(1, "message")
    if not isinstance(message, FunctionRef) or not isinstance(message.code, FunctionInfo) or f.state is None:
        return None
    if message.receiver is not None:
        return refusal(f, _NO_FUNCTION)
    own = message.code.node.local_names
    around = f.state.names
    for name in set(_names(message.code.node.body)) - set(own):
        if name in around and tensor_arm(around[name]) is not None:
            return refusal(f, _CLOSURE)
    return None


def _names(body: ir.Body) -> Iterator[str]:
    """The names that a body reads, those in f-strings among them."""
    for expr in expressions_of(body):
        if isinstance(expr, ir.Name):
            yield expr.id
        elif isinstance(expr, ir.FString):
            yield from _names(tuple([ir.ExprStmt(expr.pos, field.value) for field in expr.fields]))
