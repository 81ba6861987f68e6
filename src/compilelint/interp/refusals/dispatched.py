"""Functions that choose a body by the class of an argument: `functools.singledispatch`, for functions and methods.

What calling one does was measured as a form of syntax, version by version: up to 2.14 Dynamo does not look into it.
"""

from __future__ import annotations

from compilelint.interp.core.outcomes import finish
from compilelint.interp.core.perform import Operation, Use, rule
from compilelint.project.classes import FunctionInfo
from compilelint.torchfacts import SyntaxForm
from compilelint.values import UNKNOWN, FunctionRef, Value


@rule(Operation.CALL, FunctionRef)
def _by_class(use: Use) -> Value | None:
    f, (ref,) = use.frame, use.operands
    code = ref.code if isinstance(ref, FunctionRef) else None
    if f.modes.host or f.modes.silent or not isinstance(code, FunctionInfo):
        return None
    if not code.decorated("singledispatch", "singledispatchmethod"):
        return None
    fact = f.interp.facts.syntax(SyntaxForm.SINGLEDISPATCH)
    if fact is None or not f.context.config.breaks(fact):
        return None
    return finish(f, code.node.qualname, None, use.args, use.pos, fact, UNKNOWN)
