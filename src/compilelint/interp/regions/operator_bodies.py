"""Functions that `torch.cond`, `while_loop`, `scan`, `map` and `switch` call: what they write and what they give back.

Measured on torch 2.13, with the recorded programs of 2.15. The body becomes a graph of its own: it gives back tensors,
ints and bools, none of them an input of that graph, a view of one or a tensor that it gives back already, and writes to
no input. Without gradients `cond` lets it do both, `while_loop` lets it write. Eager Python compiles such a body as
well, so a refused one fails with and without `torch.compile`.
Does not belong here: what the operators themselves ask of their arguments (`models.control_flow`).
"""

from __future__ import annotations

from compilelint.interp.core.args import Args
from compilelint.interp.core.frame import Frame
from compilelint.interp.core.operands import ARGUMENT, OPERAND, input_of, marked
from compilelint.interp.devices.capture import writes
from compilelint.interp.regions.nonstrict_calls import is_unregistered
from compilelint.interp.text import held_items
from compilelint.model.slotted import dataclass
from compilelint.project.classes import ClassInfo, FunctionInfo
from compilelint.syntax import ir
from compilelint.syntax.walk import statements_of
from compilelint.values import (
    BoundMethod,
    ClassRef,
    Const,
    External,
    FunctionRef,
    Mapping,
    Object,
    Scalar,
    Sequence,
    Tensor,
    Value,
    is_none,
)

OUTPUT = "GB0314"  # "HOP body output unsupported"
WRITE = "GB0041"  # "Encountered input mutation during higher order op tracing"
ALIAS = "GB0040"  # "Encountered aliasing during higher order op tracing"
_DEPTH = 3


@dataclass(frozen=True, slots=True)
class Body:
    """One run of a body: what it gives, and as which inputs came the tensors that it writes to."""

    result: Value
    written: frozenset[str]
    twice: bool  # gives one tensor back in two places


def run(f: Frame, callee: Value, operands: list[Value], pos: int, further: list[Value] | None = None) -> Body:
    """Call a function as the body of an operator, on its operands and then on further arguments of the operator."""
    modes, kept = f.modes, f.effects.written_inputs
    f.modes, f.effects.written_inputs = modes.but(enters_operator=True), frozenset()
    try:
        given = [marked(value, OPERAND) for value in operands] + [marked(value, ARGUMENT) for value in further or ()]
        result = f.interp.call(f, callee, Args(given), pos)
    finally:
        written = f.effects.written_inputs
        f.modes, f.effects.written_inputs = modes, kept
    return Body(result, written, _returns_twice(callee, result))


def written(f: Frame, tensor: Tensor) -> None:
    """A tensor is written in place."""
    if f.modes.in_operator:
        came_as = input_of(tensor)
        if came_as:
            f.effects.written_inputs |= {came_as}


def argument_written(f: Frame, node: ir.Call | None, name: str) -> None:
    """`row.add_(...)`, `kept["sum"].add_(...)` of a parameter of which nothing else is known: it holds tensors."""
    if (
        not f.modes.in_operator
        or not writes(name)
        or f.function is None
        or node is None
        or not isinstance(node.func, ir.Attr)
    ):
        return
    held_by = held_items.holder(f.function, node.func.value)
    if held_by:
        first = next((p.name for p in f.function.node.params if p.name != f.self_name), "")
        f.effects.written_inputs |= {OPERAND if held_by == first else ARGUMENT}


def refused(body: Body, *, may_write: bool = False, may_share: bool = False) -> str:
    """The id of the rule that a body breaks; `may_write` and `may_share` say what the operator lets it do."""
    found = leaves(body.result)
    if any(map(_is_unfit, found)):
        return OUTPUT
    if body.written and not may_write:
        return WRITE
    if not may_share and (body.twice or any(isinstance(one, Tensor) and input_of(one) for one in found)):
        return ALIAS
    return ""


def leaves(value: Value, depth: int = 0) -> list[Value]:
    """What lies in tuples, lists and dicts of known content."""
    if depth < _DEPTH and isinstance(value, Sequence) and value.items is not None:
        return [leaf for item in value.items for leaf in leaves(item, depth + 1)]
    if depth < _DEPTH and isinstance(value, Mapping):
        return [leaf for _, item in value.entries for leaf in leaves(item, depth + 1)]
    return [value]


def structure(value: Value, depth: int = 0) -> object:
    """How tuples, lists and dicts lie in a result; None where that is not known."""
    if isinstance(value, Sequence):
        if value.items is None or depth == _DEPTH:
            return None
        parts = [structure(item, depth + 1) for item in value.items]
        return None if None in parts else (value.kind, *parts)
    if isinstance(value, Mapping):
        entries = [(str(key), structure(item, depth + 1)) for key, item in value.entries]
        known = value.exact and depth < _DEPTH and all(one is not None for _, one in entries)
        return ("dict", *sorted(entries, key=lambda entry: entry[0])) if known else None
    return "leaf" if isinstance(value, (Tensor, Const, Scalar)) and is_none(value) is False else None


def is_composite(found: object) -> bool:
    """Whether it is the structure of a tuple, list or dict."""
    return isinstance(found, tuple)


def _is_unfit(leaf: Value) -> bool:
    """Whether a result is nothing that the graph of a body can give back."""
    if isinstance(leaf, Const):
        return leaf.value is not None and not isinstance(leaf.value, int)
    if isinstance(leaf, Scalar):
        return leaf.kind in ("float", "str")
    if isinstance(leaf, Object):
        return isinstance(leaf.cls, ClassInfo) and is_unregistered(leaf.cls)
    return isinstance(leaf, (FunctionRef, BoundMethod, ClassRef, External))


def _returns_twice(callee: Value, result: Value) -> bool:
    """Whether a function's one `return` names a tensor twice, as `return carry, carry` does."""
    code = callee.code if isinstance(callee, FunctionRef) else None
    if not isinstance(code, FunctionInfo):
        return False
    returned = [s.value for s in statements_of(code.node.body) if isinstance(s, ir.Return)]
    if len(returned) != 1 or not isinstance(returned[0], ir.Display) or not isinstance(result, Sequence):
        return False
    pairs = zip(returned[0].items, result.items or (), strict=False)
    names = [item.id for item, value in pairs if isinstance(item, ir.Name) and isinstance(value, Tensor)]
    return len(names) != len(set(names))
