"""Enumerations of the program: `Padding.SAME`, its `value` and `name`, and which class it is of.

Members of enumerations that are numbers or texts as well (`IntEnum`, `class Mode(str, Enum)`) are taken for those: that
is how they are compared. All others are equal to themselves only.
"""

from __future__ import annotations

from compilelint.project.classes import ClassInfo
from compilelint.values import BoundMethod, ClassRef, Const, External, FunctionRef, Member, Object, Value

_PLAIN_BASES = frozenset({"enum.Enum", "builtins.object"})


def is_plain(cls: ClassInfo) -> bool:
    """Whether the members of an enumeration are no numbers or texts."""
    return "enum.Enum" in cls.external_bases and set(cls.external_bases) <= _PLAIN_BASES


def is_enumeration(cls: ClassInfo) -> bool:
    """Whether a class is an enumeration of any kind."""
    return cls.descends_from("enum.Enum", "enum.IntEnum", "enum.StrEnum", "enum.Flag", "enum.IntFlag")


def member(cls: ClassInfo, name: str, value: Value) -> Value:
    """What a name of the class body stands for: a member, unless it is a method or private."""
    if not is_plain(cls) or name.startswith("_") or isinstance(value, (FunctionRef, ClassRef, BoundMethod)):
        return value
    if isinstance(value, External) and value.name.endswith(".nonmember"):
        return value
    return Const(Member(cls, name, value))


def attribute_of(one: Member, name: str) -> Value | None:
    """What enumerations themselves say of a member; None for what its class adds."""
    if name in ("value", "_value_"):
        value: Value = one.value
        return value
    return Const(one.name) if name in ("name", "_name_") else None


def as_object(one: Member) -> Object:
    """The member as an object of its class, for the methods that the class adds."""
    return Object(one.cls)
