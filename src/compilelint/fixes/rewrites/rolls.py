"""A roll by a number that is read from a tensor becomes a selection by indices, which never leaves the device.

`torch.roll(x, -int(i), -1)` reads `i`; element `k` of its result is element `(k + i) % n` of `x`, so the same elements
are selected by a tensor of indices. What is selected is a permutation: values, gradients and NaN stay as they are.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from compilelint.fixes.engine.code import Code
from compilelint.fixes.engine.imports import spell, spelled_target
from compilelint.fixes.engine.known_tensors import is_tensor
from compilelint.fixes.engine.laws import IsTensor, Offer, OnlyRuns
from compilelint.fixes.engine.purity import is_pure
from compilelint.fixes.engine.registry import rewrite
from compilelint.model import Edit, Finding, Fix, Safety, Span

_PLAIN = (ast.Name, ast.Attribute, ast.Load)


@rewrite("host-read", rank=5, rules=("CL102",))
def selected_by_indices(finding: Finding, code: Code) -> Iterator[Offer]:
    """`torch.roll(x, -int(i), -1)` becomes `x.index_select(-1, ...)` by indices made of `i` in a line above.

    Legal where `x` is a name or attribute of a tensor, `i` is a tensor of whole numbers, the dimension is a number
    that is spelled, and the call is all that a line of its own is about. Changes: where `i` has not one element,
    RuntimeError is raised, as by `.item()`, and not the ValueError of `int`; `i` on another device than `x` may raise.
    """
    span = finding.location.span
    path = code.path(span)
    read = next((one for one in reversed(path) if isinstance(one, ast.Call)), None)
    statement = next((one for one in reversed(path) if isinstance(one, ast.stmt)), None)
    number = None if read is None else _read(read)
    arange = spell(code, "torch.arange", span)
    if read is None or number is None or not isinstance(statement, (ast.Assign, ast.Return)) or arange is None:
        return
    above: ast.expr = read
    around = [one for one in path[: path.index(read)] if isinstance(one, ast.expr)]
    back = bool(around) and isinstance(around[-1], ast.UnaryOp) and isinstance(around[-1].op, ast.USub)
    if back:
        above = around.pop()
    call = around[-1] if around else None
    rolled = _rolled(call, above, code) if isinstance(call, ast.Call) else None
    if rolled is None or not isinstance(call, ast.Call) or arange.edits or statement.value is None:
        return
    value, axis = code.text(rolled[0]), code.text(rolled[1])
    index, whole = code.text(number), code.text(call)
    line = code.source.line(statement.lineno)
    indent = line[: len(line) - len(line.lstrip())]
    if None in (value, axis, index, whole) or code.span(statement).column != len(indent) + 1:
        return
    if not is_pure(number, code) or call is not statement.value or "rolled" in _names(code, span):
        return
    atom = isinstance(number, (ast.Name, ast.Attribute, ast.Call, ast.Subscript))
    flat = "" if finding.rewrite is not None and finding.rewrite.fact("rank") == 0 else ".reshape(())"
    shift = f"{index}{flat}" if atom else f"({index}){flat}"
    sign = "+" if back else "-"
    size = f"{value}.shape[{axis}]"
    lines = f"{indent}rolled = {arange.text}({size}, device={value}.device) {sign} {shift}\n"
    at = Span(statement.lineno, 1, statement.lineno, 1)
    edits = (Edit(at, lines), Edit(code.span(call), f"{value}.index_select({axis}, rolled % {size})"))
    known = finding.rewrite
    integers = known is not None and known.fact("dtype") == "int" and not known.fact("array")
    refuses = spelled_target(call.func, code) == "torch.roll"  # anything but a tensor would have raised there
    tensor = () if refuses or is_tensor(rolled[0], code) else (OnlyRuns(f"`{value}` may not be a tensor"),)
    sure = () if integers else (OnlyRuns(f"`{index}` may hold other numbers than whole ones"),)
    item = isinstance(read.func, ast.Attribute) or not flat
    one = () if item else (OnlyRuns(f"`{index}` may have more elements than one, for which `int` raises ValueError"),)
    yield Offer(
        Fix(Safety.UNSAFE, "select by indices what is rolled", edits), (IsTensor(_owner(number)), *tensor, *sure, *one)
    )


def _read(call: ast.Call) -> ast.expr | None:
    """What `int(i)` or `i.item()` reads."""
    if isinstance(call.func, ast.Name) and call.func.id == "int" and len(call.args) == 1 and not call.keywords:
        inner = call.args[0]
        return (_read(inner) if isinstance(inner, ast.Call) else None) or inner
    item = isinstance(call.func, ast.Attribute) and call.func.attr == "item"
    return call.func.value if item and isinstance(call.func, ast.Attribute) and not call.args else None


def _rolled(call: ast.Call, shift: ast.expr, code: Code) -> tuple[ast.expr, ast.expr] | None:
    """The tensor and the one dimension of a roll by `shift`."""
    given = list(call.args)
    if spelled_target(call.func, code) != "torch.roll":
        if not isinstance(call.func, ast.Attribute) or call.func.attr != "roll" or spelled_target(call.func, code):
            return None
        given.insert(0, call.func.value)
    named = {one.arg: one.value for one in call.keywords}
    every = dict(zip(("input", "shifts", "dims"), given, strict=False)) | named
    value, axis = every.get("input"), every.get("dims")
    if set(every) != {"input", "shifts", "dims"} or every["shifts"] is not shift or len(given) > 3:
        return None
    if value is None or axis is None or not all(isinstance(one, _PLAIN) for one in ast.walk(value)):
        return None
    number = axis.operand if isinstance(axis, ast.UnaryOp) and isinstance(axis.op, ast.USub) else axis
    whole = isinstance(number, ast.Constant) and type(number.value) is int
    return (value, axis) if whole else None


def _owner(number: ast.expr) -> ast.expr:
    """The tensor that an element is taken from: `index` of `index[i]`."""
    return number.value if isinstance(number, ast.Subscript) else number


def _names(code: Code, span: Span) -> set[str]:
    function = code.function(span)
    return set() if function is None else {one.id for one in ast.walk(function) if isinstance(one, ast.Name)}
