"""Tensors that an operation refuses for their sizes or their device, where the program catches the error.

Python goes on in the handler; under Dynamo the operation fails on fake tensors, and with it the compilation (torch 2.13
and 2.15). And `out=` of another size than the result, which torch resizes and Dynamo does not. Sizes count where all of
them are known numbers.

And `where` with a condition of integers: eager torch takes one of `uint8`, as masks were before 1.2, and fails on the
others; on fake tensors all fail, caught or not (from 2.15 on, Dynamo goes on in the handler).
"""

from __future__ import annotations

from collections.abc import Sequence as Many
from typing import Final

from compilelint import events
from compilelint.interp.core.args import Args
from compilelint.interp.core.frame import Frame
from compilelint.interp.core.judging import if_judged
from compilelint.interp.core.perform import AUGMENTED, Operation, Use, rule
from compilelint.interp.core.refusals import refusal
from compilelint.interp.refusals.caught_errors import is_caught
from compilelint.torchfacts import Fact
from compilelint.values import UNKNOWN, Sequence, Tensor, Value, tensor_arm

_RAISES: Final = "GB4315|sizes that do not fit"  # "RuntimeError when making fake tensor call"
_DEVICES: Final = "GB5173"  # "Tensor device mismatch"
_CHOSEN: Final = "where by a condition of integers"
_CHOSEN_IN_TRY: Final = "where by a condition of integers, in try"
_OUT: Final = "GB0247"  # "Shape mismatch with out= tensor variant"
_OUT_LIST: Final = "GB0240"  # "Shape mismatch with out= list of tensor variants"
_PRODUCTS: Final = frozenset({"@", "matmul", "mm"})
_SINGLE: Final = frozenset({"+", "-", "*", "/", "add", "sub", "mul", "div"})
_JOINS: Final = frozenset({"cat", "concat", "stack"})


def numbers(t: Tensor) -> tuple[int, ...] | None:
    """The sizes of a tensor; None where one is not known."""
    if t.sizes is None or t.rank is None:
        return None
    found = [None if one is None else one.number for one in t.sizes]
    return tuple([n for n in found if n is not None]) if None not in found and len(found) == t.rank else None


def met(f: Frame, op: str, values: Many[Value]) -> Fact | None:
    """The fact on an operator or a function of torch (by its last name) on these operands."""
    if op not in _PRODUCTS and op not in _SINGLE and op not in _JOINS:
        return None
    if op in _JOINS and values and isinstance(values[0], Sequence):
        values = values[0].items or ()
    tensors = [one for one in values if isinstance(one, Tensor)]
    if len(tensors) < 2 or f.modes.silent:
        return None
    devices = {one.device for one in tensors if one.rank != 0}
    if len(devices) > 1 and "meta" in devices and "" not in devices:
        return refusal(f, _DEVICES) if is_caught(f) else None
    a, b = numbers(tensors[0]), numbers(tensors[1])
    if a is None or b is None or op in _JOINS:
        return None
    fits = _multiplies(a, b) if op in _PRODUCTS else _broadcasts(a, b)
    return refusal(f, _RAISES) if not fits and is_caught(f) else None


@rule(Operation.BINARY, Tensor)
def operated(use: Use) -> None:
    """An operator on tensors whose sizes or devices do not go together."""
    f = use.frame
    fact = None if use.name in AUGMENTED else met(f, use.name, use.operands)
    if fact is not None:
        f.emit(events.Syntax(f.site(use.pos), fact, f"{use.name} of tensors that do not fit", use.operands))
        f.broken_by(fact, splits=False)


@if_judged
def chosen_by(f: Frame, op: str, args: Args) -> Fact | None:
    """The fact on `where`, of a tensor or of torch, that chooses by a condition of integers."""
    if op != "where" or (f.interp.facts.traces(_CHOSEN_IN_TRY) and is_caught(f)):
        return None
    condition = tensor_arm(args.get(0, "condition") or UNKNOWN)
    if condition is None or condition.array or condition.dtype != "int" or len(args.all()) < 2:
        return None
    return refusal(f, _CHOSEN)


def _multiplies(a: tuple[int, ...], b: tuple[int, ...]) -> bool:
    return not a or not b or a[-1] == b[-2 if len(b) > 1 else 0]


def _broadcasts(a: tuple[int, ...], b: tuple[int, ...]) -> bool:
    return all(x == y or 1 in (x, y) for x, y in zip(reversed(a), reversed(b), strict=False))


def written(f: Frame, args: Args, result: Value) -> Fact | None:
    """The fact on `out=` tensors of other sizes than the result."""
    out = args.keywords.get("out")
    if f.modes.silent or out is None:
        return None
    if isinstance(out, Tensor) and isinstance(result, Tensor):
        return refusal(f, _OUT) if _differ(out, result) else None
    if isinstance(out, Sequence) and isinstance(result, Sequence) and out.items and result.items:
        pairs = zip(out.items, result.items, strict=False)
        differ = any(isinstance(a, Tensor) and isinstance(b, Tensor) and _differ(a, b) for a, b in pairs)
        return refusal(f, _OUT_LIST) if differ else None
    return None


def _differ(out: Tensor, result: Tensor) -> bool:
    mine, wanted = numbers(out), numbers(result)
    return mine is not None and wanted is not None and mine != wanted
