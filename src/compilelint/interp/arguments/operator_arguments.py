"""A parameter that a body hands to a custom operator, whose annotations torch holds every call to.

`write(cache, value)` of `@custom_op(...) def write(cache: Tensor, value: Tensor)` raises for anything but tensors, and
so does the schema that torch reads off the annotations. Of a plain function they are promises only, and not asked here.
"""

from __future__ import annotations

from collections.abc import Iterator

from compilelint.interp.text.held_items import holder_of_name
from compilelint.interp.text.usage import expressions_of, names_called
from compilelint.project.classes import FunctionInfo
from compilelint.syntax import ir
from compilelint.syntax.walk import last_name

_OPERATORS = ("custom_op", "triton_op")


def operator_given(code: FunctionInfo, name: str) -> str:
    """The operator of the same file that takes the parameter as a tensor; empty where none does."""
    if not any(_operator(code, called) for called in names_called(code)):
        return ""  # as nearly everywhere, and found without a walk over the body
    if holder_of_name(code, name) != name:
        return ""  # it is bound again
    return next((op for op, given in _handed_over(code) if given == name), "")


def _handed_over(code: FunctionInfo) -> Iterator[tuple[str, str]]:
    """Each operator that the body calls, with each name that it takes as a tensor."""
    for call in expressions_of(code.node.body):
        if not isinstance(call, ir.Call) or not isinstance(call.func, ir.Name):
            continue
        operator = _operator(code, call.func.id)
        if operator is None:
            continue
        given = [*zip((p.name for p in operator.params), call.args, strict=False), *call.keywords]
        tensors = {p.name for p in operator.params if p.annotation is not None and last_name(p.annotation) == "Tensor"}
        for parameter, value in given:
            if parameter in tensors and isinstance(value, ir.Name):
                yield call.func.id, value.id


def _operator(code: FunctionInfo, name: str) -> ir.Function | None:
    bound = code.module.bindings.get(name, ())
    if len(bound) != 1 or not isinstance(bound[0], ir.Function):
        return None
    function = bound[0]
    return function if any(last_name(one) in _OPERATORS for one in function.decorators) else None
