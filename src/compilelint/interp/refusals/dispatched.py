"""Functions that choose a body by the class of an argument: `functools.singledispatch`, for functions and methods.

What calling one does was measured as a form of syntax, version by version: up to 2.14 Dynamo does not look for the body
of a constant. It finds that of a tensor, a module or another object; of a list, a tuple or a dict if one is registered
or an earlier call met it (2.13, ten kinds of argument, each registered or not).
"""

from __future__ import annotations

from compilelint.interp.core.outcomes import finish
from compilelint.interp.core.perform import Operation, Use, rule
from compilelint.project.classes import FunctionInfo
from compilelint.syntax import facts, ir
from compilelint.syntax.walk import dotted_name
from compilelint.torchfacts import SyntaxForm
from compilelint.values import UNKNOWN, Const, FunctionRef, Scalar, Value


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
    by = use.args.positional[0] if use.args.positional else UNKNOWN
    if isinstance(by, (Const, Scalar)):
        return finish(f, code.node.qualname, None, use.args, use.pos, fact, UNKNOWN)
    return UNKNOWN if code.node.name in facts.fact(code.module.ir, _with_others) else None


def _with_others(module: ir.Module) -> frozenset[str]:
    """The functions of a module for which another body is registered: which of them runs is not followed."""
    inner = (one for s in module.body if isinstance(s, ir.Class) for one in s.body)
    functions = (one for one in (*module.body, *inner) if isinstance(one, ir.Function))
    marks = (one for node in functions for one in node.decorators)
    names = (dotted_name(one.func if isinstance(one, ir.Call) else one) for one in marks)
    return frozenset(name.removesuffix(".register") for name in names if name.endswith(".register"))
