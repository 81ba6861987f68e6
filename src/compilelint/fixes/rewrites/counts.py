"""Counts of known length: `torch.bincount` with a `minlength` is a sum into a tensor of that many zeros. Unsafe.

The result of `bincount` is as long as the greatest value asks for, so the length is data. Where `minlength` is the
number of classes, nothing is greater, and ones are added at the values instead: the same whole numbers.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from compilelint.fixes.engine.code import Code
from compilelint.fixes.engine.imports import spell, spelled_target
from compilelint.fixes.engine.laws import Offer, OnlyRuns
from compilelint.fixes.engine.purity import is_pure
from compilelint.fixes.engine.registry import rewrite
from compilelint.model import Edit, Finding, Fix, Safety

_LONGEST = 40  # the values are written three times


@rewrite("dynamic-shape", rank=10, rules=("CL120",))
def counted_in_zeros(finding: Finding, code: Code) -> Iterator[Offer]:
    """`torch.bincount(x, minlength=n)` becomes `x.new_zeros(n).scatter_add_(0, x, torch.ones_like(x))`.

    Legal where there are no weights, `n` is more than a constant 0, and computing `x` again has no effects. Changes:
    a value of `n` or more, for which eager code gives a longer result, raises RuntimeError; whole numbers of another
    type than int64 are refused or counted in that type.
    """
    span = finding.location.span
    call = next((one for one in reversed(code.path(span)) if isinstance(one, ast.Call)), None)
    if call is None or code.span(call) != span:
        return
    values, length = _asked(call, code)
    ones = spell(code, "torch.ones_like", span)
    if values is None or length is None or ones is None or ones.edits:
        return
    text, size = code.text(values), code.text(length)
    if text is None or size is None or len(text) > _LONGEST:
        return
    if not is_pure(values, code) or (isinstance(length, ast.Constant) and not length.value):
        return
    atom = isinstance(values, (ast.Name, ast.Attribute, ast.Call, ast.Subscript))
    head = text if atom else f"({text})"
    made = f"{head}.new_zeros({size}).scatter_add_(0, {text}, {ones.text}({text}))"
    yield Offer(
        Fix(Safety.UNSAFE, "add ones into a tensor of that many zeros", (Edit(span, made),)),
        (OnlyRuns(f"`{text}` may hold a value of `{size}` or more, or another type than int64"),),
    )


def _asked(call: ast.Call, code: Code) -> tuple[ast.expr | None, ast.expr | None]:
    """The values that a call counts and its `minlength`; None for what is missing, and where there are weights."""
    given = list(call.args)
    if spelled_target(call.func, code) != "torch.bincount":
        if not isinstance(call.func, ast.Attribute) or call.func.attr != "bincount" or spelled_target(call.func, code):
            return None, None
        given.insert(0, call.func.value)
    named = {one.arg: one.value for one in call.keywords}
    values = given[0] if given else named.pop("input", None)
    if len(given) > 1 or set(named) != {"minlength"} or any(isinstance(one, ast.Starred) for one in given):
        return None, None
    return values, named["minlength"]
