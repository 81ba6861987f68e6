"""No value grows beyond its bound, however it is made."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from compilelint.values import (
    BOTTOM,
    UNKNOWN,
    BoundMethod,
    Compiled,
    Const,
    FunctionRef,
    Instance,
    Mapping,
    Object,
    Partial,
    Scalar,
    Sequence,
    Tensor,
    Value,
    join,
)
from compilelint.values.value import LEVEL, MAX_SIZE, Union


class Named:
    """A function or class, as far as values know it."""

    qualified_name = "m.f"


def pair(value: Value) -> Value:
    return Sequence("tuple", (value, value), BOTTOM)


TWICE: dict[str, Callable[[Value], Value]] = {
    "a tuple": pair,
    "a dict": lambda v: Mapping((("a", v), ("b", v)), v),
    "an object": lambda v: Object(Named(), (("a", v), ("b", v))),
    "a library's object": lambda v: Instance("torch.nn.Sequential", state=(("0", v), ("1", v))),
    "a partial": lambda v: Partial(v, (v,), (("k", v),)),
    "a bound method": lambda v: BoundMethod(pair(v), "append"),
    "a compiled object": lambda v: Compiled(pair(v)),
    "a function of an object": lambda v: FunctionRef(Named(), pair(v)),
    "a list of unknown length": lambda v: Sequence("list", None, pair(v)),
    "a union": lambda v: join(pair(v), Mapping((("a", v),), BOTTOM)),
    "a list in a list": lambda v: Sequence("list", (v,), BOTTOM),
}


@pytest.mark.parametrize("twice", TWICE.values(), ids=TWICE.keys())
def test_what_holds_itself_twice_stays_within_its_bound(twice: Callable[[Value], Value]) -> None:
    value: Value = Tensor()
    for _ in range(2_000):
        value = twice(value)
        assert value.size <= MAX_SIZE * (len(value.arms) if isinstance(value, Union) else 1)
    hash(value.key)


def test_a_container_counts_what_it_holds() -> None:
    inner = pair(Const(1))
    assert inner.size == LEVEL + 2
    assert pair(inner).size == LEVEL + 2 * inner.size


def test_a_long_list_of_one_type_keeps_the_type() -> None:
    numbers = Sequence("list", tuple([Const(n) for n in range(MAX_SIZE + 1)]), BOTTOM)
    assert numbers.items is None
    assert numbers.element.key == Scalar("int").key
    mixed = Sequence("list", tuple([Const(n) for n in range(MAX_SIZE)] + [Const("a")]), BOTTOM)
    assert mixed.element is UNKNOWN


def test_a_list_of_usual_length_keeps_its_items() -> None:
    numbers = Sequence("list", tuple([Const(n) for n in range(1_000)]), BOTTOM)
    assert numbers.items is not None
    assert len(numbers.items) == 1_000


@pytest.mark.parametrize("over", [False, True])
def test_a_container_keeps_its_parts_up_to_the_bound(over: bool) -> None:
    """Each kind counts itself once and all of its parts; at the bound nothing is given up, one beyond it is."""
    many = tuple([Const(number) for number in range(MAX_SIZE - LEVEL + over)])
    assert Const(1).size == 1
    held = Sequence("tuple", many, BOTTOM)
    assert (held.items is None) is over
    entries = tuple((number, Const(number)) for number in range(MAX_SIZE - LEVEL - BOTTOM.size + over))
    assert (Mapping(entries, BOTTOM, True).entries == ()) is over


def test_an_object_is_as_large_as_the_larger_of_what_it_holds() -> None:
    large, small = (("a", Sequence("tuple", (Const(1),) * 9, BOTTOM)),), (("b", Const(1)),)
    sizes = {Object(Named(), fields, False, held).size for fields, held in ((large, small), (small, large))}
    assert len(sizes) == 1
    assert sizes.pop() > Object(Named(), small, False, small).size
