"""`isinstance` on values: what one certainly is, certainly is not, and may be; and what a test leaves of it."""

from __future__ import annotations

import pytest

from compilelint.interp.kinds.types import is_instance, narrowed_to, types_of
from compilelint.model import Confidence
from compilelint.values import (
    NONE,
    UNKNOWN,
    Const,
    External,
    Instance,
    Mapping,
    Origin,
    Scalar,
    Sequence,
    Source,
    Tensor,
    Value,
    join,
)
from compilelint.values.words import describe

SURE = Tensor("float", 2, Source.INPUT)
GUESS = Tensor("", None, Source.INPUT, confidence=Confidence.LIKELY)
ARRAY = Tensor("", None, Source.INPUT, array=True)
OWNED = Tensor("float", None, Source.PARAMETER)
MADE = Tensor("float", None, Source.COMPUTED)
LIST, PAIR = Sequence("list", None, UNKNOWN), Sequence("tuple", (SURE, SURE), UNKNOWN)
TABLE = Mapping((), UNKNOWN)
LAYER = Instance("torch.nn.Linear")


@pytest.mark.parametrize(
    ("value", "wanted", "answer"),
    [
        (SURE, "torch.Tensor", True),
        (SURE, "numpy.ndarray", False),
        (SURE, "builtins.list", False),
        (SURE, "torch.LongTensor", None),
        (SURE, "torch.nn.Parameter", None),
        (MADE, "torch.nn.Parameter", False),
        (OWNED, "torch.nn.Parameter", None),
        (SURE, "lib.Thing", None),
        (ARRAY, "torch.Tensor", False),
        (ARRAY, "numpy.ndarray", True),
        (GUESS, "torch.Tensor", True),
        (GUESS, "builtins.list", None),
        (GUESS, "numpy.ndarray", None),
        (Const(3), "builtins.int", True),
        (Const(True), "builtins.int", True),
        (Const(3), "builtins.bool", False),
        (Const(3), "builtins.float", False),
        (Const(3), "numbers.Number", True),
        (Const("a"), "numbers.Number", False),
        (Const("a"), "collections.abc.Sequence", True),
        (Const(3), "builtins.object", True),
        (NONE, "types.NoneType", True),
        (NONE, "builtins.int", False),
        (Scalar("float"), "builtins.float", True),
        (LIST, "builtins.list", True),
        (LIST, "builtins.tuple", False),
        (PAIR, "collections.abc.Sequence", True),
        (PAIR, "torch.Size", False),
        (PAIR, "lib.Pair", None),
        (TABLE, "builtins.dict", True),
        (TABLE, "typing.Mapping", True),
        (TABLE, "builtins.list", False),
        (LAYER, "torch.nn.Linear", True),
        (LAYER, "torch.nn.Module", None),
        (LAYER, "builtins.str", False),
        (UNKNOWN, "torch.Tensor", None),
        (External("torch.relu"), "builtins.list", None),
    ],
)
def test_one_type(value: Value, wanted: str, answer: bool | None) -> None:
    assert is_instance(value, (wanted,)) is answer


def test_one_of_several_types() -> None:
    both = ("builtins.list", "builtins.tuple")
    assert is_instance(LIST, both) is True
    assert is_instance(SURE, both) is False
    assert is_instance(join(LIST, SURE), both) is None
    assert is_instance(join(LIST, PAIR), both) is True


def left(value: Value, wanted: tuple[str, ...], taken: bool) -> str:
    """What a test leaves of a value, in words; empty where it cannot come out so."""
    found = narrowed_to(value, wanted, taken, Origin("test", None))
    return "" if found is None else describe(found)


@pytest.mark.parametrize(
    ("value", "wanted", "if_so", "if_not"),
    [
        (SURE, ("torch.Tensor",), "tensor float 2-d input", ""),
        (SURE, ("builtins.list",), "", "tensor float 2-d input"),
        (join(SURE, NONE), ("torch.Tensor",), "tensor float 2-d input", "None"),
        (join(LIST, SURE), ("builtins.list",), "list[?]", "tensor float 2-d input"),
        (UNKNOWN, ("torch.Tensor",), "tensor input", "?"),
        (UNKNOWN, ("builtins.int",), "int", "?"),
        (UNKNOWN, ("builtins.list", "builtins.dict"), "dict(...: ?) | list[?]", "?"),
        (GUESS, ("builtins.list",), "list[?]", "tensor input likely"),
        (GUESS, ("torch.Tensor",), "tensor input likely", ""),
    ],
)
def test_what_a_test_leaves(value: Value, wanted: tuple[str, ...], if_so: str, if_not: str) -> None:
    assert (left(value, wanted, True), left(value, wanted, False)) == (if_so, if_not)


def test_types_are_named_by_classes_and_tuples_of_them() -> None:
    torch_tensor, number = External("torch.Tensor"), External("builtins.int")
    assert types_of(torch_tensor) == ("torch.Tensor",)
    assert types_of(Sequence("tuple", (torch_tensor, number), UNKNOWN)) == ("torch.Tensor", "builtins.int")
    assert types_of(Sequence("tuple", (torch_tensor, UNKNOWN), UNKNOWN)) is None
    assert types_of(Sequence("tuple", None, torch_tensor)) is None
    assert types_of(UNKNOWN) is None
