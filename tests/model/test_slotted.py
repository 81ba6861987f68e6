"""`model.slotted`: the same classes as the standard library makes, compiled only when they are used."""

from __future__ import annotations

import copy
import dataclasses
import pickle
from dataclasses import field
from typing import Any

import pytest

from compilelint.model.slotted import dataclass, slotted


@dataclass(frozen=True, slots=True)
class Place:
    """Frozen: equal and hashed by what counts."""

    path: str
    line: int = 1
    marks: list[str] = field(default_factory=list, compare=False)
    seen: int = field(init=False, default=0, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "seen", self.line + 1)


@dataclass(frozen=True, slots=True)
class Named(Place):
    """Inherits fields, and adds one that is given by name."""

    name: str = field(default="", kw_only=True)


@dataclass(slots=True)
class Open:
    """Not frozen."""

    value: int


@slotted
class Node:
    """Built by the ten thousand."""

    pos: int
    id: str = "x"


def test_instances_take_arguments_by_place_and_by_name_and_have_defaults() -> None:
    one = Place("a.py", line=3)
    assert (one.path, one.line, one.marks, one.seen) == ("a.py", 3, [], 4)
    assert Place("a.py").marks is not Place("a.py").marks


@pytest.mark.parametrize("given", [(), ("a", 1, [], 2)], ids=["one too few", "`seen` is no argument"])
def test_wrong_arguments_are_refused(given: tuple[Any, ...]) -> None:
    with pytest.raises(TypeError):
        Place(*given)


def test_equality_and_hash_go_by_the_fields_that_are_compared() -> None:
    assert Place("a", 1, ["x"]) == Place("a", 1, ["y"])
    assert hash(Place("a", 1, ["x"])) == hash(Place("a", 1, ["y"]))
    assert Place("a", 1) != Place("a", 2)
    assert Place("a", 1) != Named("a", 1), "another class is never equal"


def test_a_frozen_one_refuses_changes() -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        Place("a").line = 2  # type: ignore[misc]
    with pytest.raises(dataclasses.FrozenInstanceError):
        del Named("a").line


def test_one_that_is_not_frozen_changes_and_has_no_hash() -> None:
    one = Open(1)
    one.value = 2
    assert one == Open(2)
    with pytest.raises(TypeError):
        hash(one)


def test_nodes_are_themselves_only() -> None:
    assert Node(1) != Node(1)
    assert len({Node(1), Node(1)}) == 2


def test_repr_shows_the_fields_of_the_class_and_of_those_it_inherits() -> None:
    assert repr(Named("a", name="b")).endswith("Named(path='a', line=1, marks=[], name='b')")


@pytest.mark.parametrize("one", [Place("a", 2, ["x"]), Named("b", name="n"), Open(3)], ids=repr)
def test_copies_and_pickles_are_equal(one: Any) -> None:
    assert copy.deepcopy(one) == one
    assert pickle.loads(pickle.dumps(one)) == one


def test_the_standard_library_knows_them() -> None:
    assert [one.name for one in dataclasses.fields(Named)] == ["path", "line", "marks", "seen", "name"]
    assert dataclasses.replace(Named("a", name="b"), line=9) == Named("a", 9, name="b")
    assert dataclasses.asdict(Open(1)) == {"value": 1}
    match Node(1, "y"):
        case Node(pos, name):
            assert (pos, name) == (1, "y")


def test_nothing_has_a_dict() -> None:
    for one in (Place("a"), Named("a"), Open(1), Node(1)):
        assert not hasattr(one, "__dict__")


def own_equality(self: Any, other: object) -> bool:
    return True


@pytest.mark.parametrize("frozen", [True, False])
@pytest.mark.parametrize("eq", [True, False])
@pytest.mark.parametrize("own", [(), ("__repr__",), ("__eq__",), ("__hash__",), ("__eq__", "__hash__"), ("__init__",)])
def test_a_class_has_what_the_standard_library_gives_it(frozen: bool, eq: bool, own: tuple[str, ...]) -> None:
    """Its own methods stay, and what is missing is made: compared with the decorator that is imitated."""
    written = {
        "__repr__": lambda self: "mine",
        "__eq__": own_equality,
        "__hash__": lambda self: 7,
        "__init__": lambda self, number=4: object.__setattr__(self, "number", number),
    }

    def made(decorator: Any) -> dict[str, Any]:
        content = {"__annotations__": {"number": int}, "number": 3, **{name: written[name] for name in own}}
        cls = decorator(frozen=frozen, slots=True, eq=eq)(type("One", (), content))
        one, other = cls(), cls(5)
        return {
            "repr": repr(one).rpartition(".")[2],
            "equal": (one == cls(), one == other, one == 3, one != other),
            "hash": None if cls.__hash__ is None else hash(one) == hash(cls()),
            "number": (one.number, other.number),
        }

    assert made(dataclass) == made(dataclasses.dataclass)
