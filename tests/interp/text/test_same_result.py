"""Two results are alike where nothing distinguishes them, origins and places included."""

from __future__ import annotations

import pytest

from compilelint.interp.text.same_result import alike
from compilelint.syntax import ir
from compilelint.values import Const, Object, Origin, Sequence, Tensor, Value


def tensor(line: int, what: str = "`x`") -> Tensor:
    return Tensor("float", 2, origin=Origin(what, (ir.Module, line)))


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        (Const(1), Const(1), True),
        (Const(1), Const(True), False),
        (tensor(3), tensor(3), True),
        (tensor(3), tensor(4), False),
        (tensor(3), tensor(3, "`y`"), False),
        (Sequence("list", (tensor(1), Const(2)), Const(0)), Sequence("list", (tensor(1), Const(2)), Const(0)), True),
        ({"a": Const(1)}, {"a": Const(1)}, True),
        ({"a": Const(1), "b": Const(2)}, {"b": Const(2), "a": Const(1)}, False),
        (frozenset({"a"}), frozenset({"a"}), True),
        (ir.Name(5, "x"), ir.Name(5, "x"), True),
        (ir.Name(5, "x"), ir.Name(6, "x"), False),
        ((1, 2), [1, 2], False),
        (None, Const(None), False),
    ],
)
def test_alike(one: object, other: object, same: bool) -> None:
    assert alike(one, other) is same


def test_classes_and_functions_are_alike_as_one_object_only() -> None:
    class Named:
        qualified_name = "m.Net"

    named = Named()
    mine, its = Object(named), Object(named)
    other: Value = Object(Named())
    assert alike(mine, its)
    assert not alike(mine, other)
