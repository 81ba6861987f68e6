"""Beliefs in words, whole and short; `tests/interp` states thousands of the short ones."""

from __future__ import annotations

import pytest

from compilelint.model import Confidence
from compilelint.values import BOTTOM, INT, NONE, UNKNOWN, Const, Origin, OriginKind, Permuted, Sequence, Tensor, Value
from compilelint.values.words import describe, reason

TURNED = Tensor("float", 2, layout=Permuted((1, 0)), device="cpu", confidence=Confidence.LIKELY)


@pytest.mark.parametrize(
    ("value", "short", "whole"),
    [
        (UNKNOWN, "?", "?"),
        (NONE, "None", "None"),
        (Tensor(), "tensor computed", "tensor ? ?-d computed ? ? certain"),
        (TURNED, "tensor float 2-d computed likely", "tensor float 2-d computed permuted 1 0 cpu likely"),
        (Tensor(array=True, rank=0), "array 0-d computed", "array ? 0-d computed ? ? certain"),
        (Sequence("tuple", (Const(1), Tensor()), BOTTOM), "tuple(1, tensor computed)", None),
        (Sequence("list", None, INT), "list[int]", "list[int]"),
    ],
)
def test_words(value: Value, short: str, whole: str | None) -> None:
    assert describe(value) == short
    assert whole is None or describe(value, whole=True) == whole


def test_places_are_said_where_they_are_asked_for() -> None:
    assert describe(TURNED, placed=True) == "tensor float 2-d computed permuted 1 0 cpu likely"


def test_a_reason_goes_back_step_by_step_and_ends() -> None:
    origin = Origin("argument `x`")
    for step in ("a", "b"):
        origin = Origin(step, parent=origin, kind=OriginKind.RESULT)
    assert reason(Tensor(origin=origin)) == "result of `b`, from result of `a`, from argument `x`"
    for _ in range(9):
        origin = Origin("again", parent=origin)
    assert reason(Tensor(origin=origin)) == "again, from again, from again, from again"
    assert reason(INT) == ""
