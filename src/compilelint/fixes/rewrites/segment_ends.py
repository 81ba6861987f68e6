"""Ends of segments, whose number only the data has, are made with room for as many as there can be.

`torch.repeat_interleave(lengths, times).cumsum(0)` gives the ends of packed sequences. While compiling, the ends that
are missing up to a length that the program knows are the last one again: segments of no length. Eager code does what it
did. Kept by `compilelint fix` only: the text does not say that no more segments than that are possible, nor that a
segment of no length changes nothing.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from compilelint.fixes.engine.callers import tensor_parameters, with_parameter
from compilelint.fixes.engine.code import Code, names_in
from compilelint.fixes.engine.imports import spell, spelled_target
from compilelint.fixes.engine.laws import Offer, OnlyRuns
from compilelint.fixes.engine.registry import rewrite
from compilelint.fixes.rewrites.lengths_from_callers import LENGTH, MOST, offers
from compilelint.model import Edit, Finding, Fix, Safety, Span

_HELPER = "_repeat_with_room"
_TITLE = "make room for all ends"


@rewrite("dynamic-shape", rank=27, proven=True, rules=("CL120",))
def ends_with_room(finding: Finding, code: Code) -> Iterator[Offer]:
    """`torch.repeat_interleave(x, times)` of which only a running sum is taken gets a length, with zeros at its end.

    The length is the first size of a tensor: a parameter of the function, or of the function that calls this one,
    through helpers of its file and over files.
    Legal where all that is done with the repeats is `.cumsum(0)`, or `.cumsum(dim=0)`, and the tensor's parameter is
    annotated. Changes: nothing in eager code; compiled, the last end stands there several times, and where there are
    more ends than the length, RuntimeError is raised.
    """
    span = finding.location.span
    call = next((one for one in reversed(code.path(span)) if isinstance(one, ast.Call) and _repeats(one, code)), None)
    function, outermost, torch = code.function(span), code.path(span)[1:2], spell(code, "torch", span)
    if call is None or not isinstance(function, ast.FunctionDef) or torch is None or torch.edits:
        return
    if torch.text != "torch" or not _is_summed(call, function, code) or not isinstance(outermost[0], ast.stmt):
        return
    if any(one.id == _HELPER for one in names_in(code.tree, lambda _: True)) or function.name == _HELPER:
        return
    given = code.span(call)
    end = (outermost[0].end_lineno or 0) + 1
    made = Edit(Span(end, 1, end, 1), _helper(code))
    name = code.span(call.func)
    if function in code.tree.body and not function.decorator_list:
        parameter = with_parameter(function, LENGTH, code)
        if parameter is not None:
            edits = [parameter, Edit(name, _HELPER), _last(given, LENGTH), made]
            yield from offers(finding, function, code, edits, _TITLE)
    asked = {one.id for one in ast.walk(call) if isinstance(one, ast.Name)}
    for tensor in [one for one in tensor_parameters(function) if one not in asked][:MOST]:
        size = f"{tensor}.shape[0]"
        yield Offer(
            Fix(Safety.UNSAFE, f"{_TITLE}: `{size}`", (Edit(name, _HELPER), _last(given, size), made)),
            (OnlyRuns(f"`{size}` may be less than there are ends"),),
        )


def _last(call: Span, text: str) -> Edit:
    """One more argument behind the others."""
    place = Span(call.end_line, call.end_column - 1, call.end_line, call.end_column - 1)
    return Edit(place, f", {text}")


def _repeats(call: ast.Call, code: Code) -> bool:
    """`torch.repeat_interleave(x, times)`, with nothing that says its length."""
    return spelled_target(call.func, code) == "torch.repeat_interleave" and len(call.args) == 2 and not call.keywords


def _is_summed(call: ast.Call, function: ast.FunctionDef, code: Code) -> bool:
    """Whether a running sum is all that is made of the repeats, at once or through the name they are given."""
    above = code.around(call)[-1]
    if isinstance(above, ast.Attribute):
        return _is_running_sum(above, code)
    if not isinstance(above, ast.Assign) or len(above.targets) != 1 or not isinstance(above.targets[0], ast.Name):
        return False
    name = above.targets[0].id
    uses = list(names_in(function, lambda one: one.id == name and isinstance(one.ctx, ast.Load)))
    around = [code.around(one)[-1] for one in uses]
    return bool(uses) and all(isinstance(one, ast.Attribute) and _is_running_sum(one, code) for one in around)


def _is_running_sum(method: ast.Attribute, code: Code) -> bool:
    """`x.cumsum(0)`, `x.cumsum(dim=0, dtype=torch.int32)`."""
    call = code.around(method)[-1]
    if method.attr != "cumsum" or not isinstance(call, ast.Call) or call.func is not method:
        return False
    along = [*call.args[:1], *(one.value for one in call.keywords if one.arg == "dim")]
    return len(along) == 1 and isinstance(along[0], ast.Constant) and along[0].value == 0


def _helper(code: Code) -> str:
    """The repeats with room, for the end of the file's statement."""
    step = code.indent
    return (
        f"\n\ndef {_HELPER}(values, times, {LENGTH}=None):\n"
        f"{step}if {LENGTH} is not None and torch.compiler.is_compiling():\n"
        f"{step}{step}# zeros make up the length, so that a running sum ends with the same number several times\n"
        f"{step}{step}values = torch.cat([values, values.new_zeros(1)])\n"
        f"{step}{step}times = torch.cat([times, ({LENGTH} - times.sum()).reshape(1)])\n"
        f"{step}{step}return torch.repeat_interleave(values, times, output_size={LENGTH})\n"
        f"{step}return torch.repeat_interleave(values, times)\n"
    )
