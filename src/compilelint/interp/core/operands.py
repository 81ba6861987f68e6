"""The tensors that the body of a higher-order operator gets, marked so that they can be recognised in its results.

Such an operator traces its function as a graph of its own. The inputs of that graph, operands and captured tensors, may
neither be written by it nor be among its results, also not as a view. A mark is a step of a tensor's origin.
"""

from __future__ import annotations

from typing import Final

from compilelint.interp.core.origin_steps import VIEWS, steps_back
from compilelint.values import Mapping, Origin, OriginKind, Sequence, Source, Tensor, Value

OPERAND: Final = "an operand of the operator"
ARGUMENT: Final = "a further argument of the operator"
CAPTURED: Final = "a tensor from outside the function"
_MARKS = frozenset({OPERAND, ARGUMENT, CAPTURED})
_OUTSIDE = (OriginKind.ARGUMENT, OriginKind.OWNED, OriginKind.HELD, OriginKind.GLOBAL)
_DEPTH = 3


def marked(value: Value, mark: str, depth: int = 0) -> Value:
    """The value, with a mark on each tensor in it."""
    if isinstance(value, Tensor):
        place = None if value.origin is None else value.origin.place
        return value.but(origin=Origin(mark, place, value.origin))
    if depth < _DEPTH and isinstance(value, Sequence) and value.items is not None:
        return Sequence(value.kind, tuple([marked(one, mark, depth + 1) for one in value.items]), value.element)
    if depth < _DEPTH and isinstance(value, Mapping):
        entries = tuple([(key, marked(one, mark, depth + 1)) for key, one in value.entries])
        maybe = tuple([(key, marked(one, mark, depth + 1)) for key, one in value.maybe])
        return Mapping(entries, value.element, value.exact, maybe)
    return value


def input_of(tensor: Tensor) -> str:
    """As which input of the graph a tensor came in, itself or a view of it; empty for what the body has made."""
    held = tensor.source in (Source.PARAMETER, Source.BUFFER)
    for step in steps_back(tensor.origin):
        if step.what in _MARKS:
            return step.what
        if held or step.kind in _OUTSIDE:
            return CAPTURED
        shares = step.kind is OriginKind.RESULT or step.kind is OriginKind.ATTRIBUTE
        if not (shares and step.what in VIEWS):
            return ""
    return ""
