"""Calls of the program's own functions with arguments that they do not take, where the program catches the error.

Measured: up to torch 2.14 Dynamo ends the frame there; from 2.15 on it raises the `TypeError` as Python does and goes
on in the handler. Where nothing catches it, the program fails without compilation too, and nothing is said.
"""

from __future__ import annotations

from compilelint.interp.core.binding import accepts
from compilelint.interp.core.perform import Operation, Use, rule
from compilelint.interp.core.refusals import refused
from compilelint.project.classes import FunctionInfo
from compilelint.values import FunctionRef, Value

_UNBOUND = "GB7312"  # "failed to bind arguments when attempting to inline"


@rule(Operation.CALL, FunctionRef)
def met(use: Use) -> Value | None:
    """A call that raises for its arguments, inside a `try` of the same frame."""
    f, (ref,), args, pos = use.frame, use.operands, use.args, use.pos
    code = ref.code if isinstance(ref, FunctionRef) else None
    if (
        f.modes.silent
        or not isinstance(ref, FunctionRef)
        or not isinstance(code, FunctionInfo)
        or f.modes.host
        or "try" not in f.around.blocks
        or code.node.decorators
        or args.star
        or args.double_star
    ):
        return None
    if accepts(code, ref.receiver, args):
        return None
    return refused(f, _UNBOUND, f"{code.node.name}()", tuple(args.positional), pos)
