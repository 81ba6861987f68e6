"""Calls of functions that Dynamo does not enter: under `torch.compiler.disable`, `nonstrict_trace` and their like."""

from __future__ import annotations

from collections.abc import Callable

from compilelint.interp.core.args import Args
from compilelint.interp.core.frame import Frame
from compilelint.interp.core.outcomes import finish
from compilelint.interp.core.refusals import refusal
from compilelint.interp.devices import capture
from compilelint.interp.models import control_flow
from compilelint.interp.refusals import refused_python
from compilelint.interp.regions import nonstrict_calls
from compilelint.project.classes import FunctionInfo
from compilelint.values import Tensor, Value


def call_untraced(f: Frame, code: FunctionInfo, args: Args, pos: int, evaluate: Callable[[], Value]) -> Value:
    """A function under `torch.compiler.disable` and its like: Dynamo stays outside, and `disable` ends the graph."""
    capture.function_called(f, code, args, pos)
    result = f.interp.promised(f, code)
    refused = None
    if code.decorated("nonstrict_trace"):
        refused = nonstrict_calls.refused(f, args, evaluate)
    elif code.decorated("leaf_function"):
        refused = control_flow.module_made_inside(f, args)
    elif code.decorated("custom_op"):
        refused = nonstrict_calls.number_returned(f, result)
        result = _as_computed(result, evaluate())
    elif code.decorated("assume_constant_result") and refused_python.gives_containers(args):
        refused = refusal(f, "GB2520")
    if refused is not None:
        return finish(f, code.node.name, None, args, pos, refused, result)
    outcome = f.interp.facts.callable("torch.compiler.disable") if code.decorated("disable") else None
    return finish(f, "torch.compiler.disable", None, args, pos, outcome, result)


def _as_computed(promised: Value, computed: Value) -> Value:
    """A tensor that an operator's annotation promises, of the dtype and rank that its body gives it."""
    if not isinstance(promised, Tensor) or not isinstance(computed, Tensor):
        return promised
    return promised.but(dtype=computed.dtype, rank=computed.rank)


def call_disabled(f: Frame, call: Callable[[], Value], args: Args, pos: int) -> Value:
    """A function, module or class that `torch.compiler.disable` was called on: what it gives is found, not judged."""
    modes, f.modes = f.modes, f.modes.silenced
    result = call()
    f.modes = modes
    outcome = f.interp.facts.callable("torch.compiler.disable")
    return finish(f, "torch.compiler.disable", None, args, pos, outcome, result)
