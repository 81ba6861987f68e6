"""Calls of the program's own functions with arguments that they do not take, where the program catches the error.

Measured: up to torch 2.14 Dynamo ends the frame there; from 2.15 on it raises the `TypeError` as Python does and goes
on in the handler. Where nothing catches it, the program fails without compilation too, and nothing is said.
"""

from __future__ import annotations

from compilelint.interp.core.args import Args
from compilelint.interp.core.binding import accepts
from compilelint.interp.core.frame import Frame
from compilelint.interp.core.judging import if_judged_else_false
from compilelint.interp.core.refusals import refused
from compilelint.project.classes import FunctionInfo
from compilelint.values import Value

_UNBOUND = "GB7312"  # "failed to bind arguments when attempting to inline"


@if_judged_else_false
def met(f: Frame, code: FunctionInfo, receiver: Value | None, args: Args, pos: int) -> bool:
    """Whether a call raises for its arguments, inside a `try` of the same frame; reported."""
    if f.modes.host or "try" not in f.around.blocks or code.node.decorators or args.star or args.double_star:
        return False
    if accepts(code, receiver, args):
        return False
    refused(f, _UNBOUND, f"{code.node.name}()", tuple(args.positional), pos)
    return True
