"""The predicate language of argument conditions: data in, `True`, `False` or `None` (unknown) out.

A condition is a JSON array:
`["is", where, kind, ...]` the argument is of one of these kinds (False when it is not passed),
`["given", where]` the argument is passed, `["any", kind, ...]` some argument is of one of these kinds,
`["receiver", kind, ...]`, `["count", low, high]` that many arguments in all (keywords too, both ends included),
`["not", c]`, `["all", c, ...]`, `["either", c, ...]`.
`where` is a position, a keyword name, or an array of both: `[1, "repeats"]`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from compilelint.torchfacts.calls import CallShape
from compilelint.torchfacts.vocabulary import ArgKind

Condition = list[Any]

_REFINEMENTS = frozenset(
    {
        ArgKind.INT_TENSOR,
        ArgKind.FLOAT_TENSOR,
        ArgKind.BOOL_TENSOR,
        ArgKind.SCALAR_TENSOR,
        ArgKind.COMPUTED_SCALAR_TENSOR,
    }
)
# A dtype says nothing of the rank and the other way round, so these pairs cannot exclude each other.
_DTYPES = frozenset({ArgKind.INT_TENSOR, ArgKind.FLOAT_TENSOR, ArgKind.BOOL_TENSOR})
_SCALARS = frozenset({ArgKind.SCALAR_TENSOR, ArgKind.COMPUTED_SCALAR_TENSOR})


def holds(condition: Condition, call: CallShape) -> bool | None:
    """Whether `condition` is true of `call`; None where the call does not say.

    Raises ValueError for an operator that the language does not have.
    """
    operator, *operands = condition
    match operator:
        case "is":
            return _is(operands[0], operands[1:], call)
        case "given":
            return _given(operands[0], call)
        case "any":
            verdict = _some(_matches(kind, operands) for kind in _kinds(call))
            return None if verdict is False and call.open_ended else verdict
        case "receiver":
            return _matches(call.receiver, operands)
        case "count":
            count = call.positional + len(call.keywords)
            if call.open_ended:
                return False if count > operands[1] else None
            return bool(operands[0] <= count <= operands[1])
        case "not":
            verdict = holds(operands[0], call)
            return None if verdict is None else not verdict
        case "all":
            verdict = _some(_negated(holds(operand, call)) for operand in operands)
            return _negated(verdict)
        case "either":
            return _some(holds(operand, call) for operand in operands)
        case _:
            raise ValueError(f"unknown operator {operator!r} in condition {condition!r}")


def _negated(verdict: bool | None) -> bool | None:
    return None if verdict is None else not verdict


def _some(verdicts: Iterable[bool | None]) -> bool | None:
    """Three-valued `any`: unknown unless one is true or all are false."""
    unknown = False
    for verdict in verdicts:
        if verdict:
            return True
        unknown = unknown or verdict is None
    return None if unknown else False


def _kinds(call: CallShape) -> Iterator[ArgKind]:
    for position in range(call.positional):
        yield call.kind(position) or ArgKind.UNKNOWN
    for keyword in sorted(call.keywords):
        yield call.kind(keyword) or ArgKind.UNKNOWN


def _find(where: int | str | list[int | str], call: CallShape) -> ArgKind | None:
    for key in where if isinstance(where, list) else [where]:
        kind = call.kind(key)
        if kind is not None:
            return kind
    return None


def _given(where: int | str | list[int | str], call: CallShape) -> bool | None:
    if _find(where, call) is not None:
        return True
    return None if call.open_ended else False


def _is(where: int | str | list[int | str], kinds: list[str], call: CallShape) -> bool | None:
    kind = _find(where, call)
    if kind is None:
        return None if call.open_ended else False
    return _matches(kind, kinds)


def _matches(actual: ArgKind, wanted: list[str]) -> bool | None:
    if actual.value in wanted:
        return True
    if actual is ArgKind.UNKNOWN:
        return None
    if actual in _REFINEMENTS:
        if "tensor" in wanted:
            return True
        undecided = _SCALARS if actual in _DTYPES else _DTYPES
        return None if any(kind.value in wanted for kind in undecided) else False
    if actual is ArgKind.TENSOR:
        return None if any(kind.value in wanted for kind in _REFINEMENTS) else False
    return False
