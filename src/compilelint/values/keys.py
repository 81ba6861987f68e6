"""Keys of a dict as `Mapping.entries` holds them: constants as they are, functions and classes by what they are."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

from compilelint.values.value import ClassRef, Const, External, FunctionRef, Value


class CallableKey:
    """A function or class as a key. Two that mean the same are equal, and stand apart from every constant."""

    __slots__ = ("_key", "value")

    def __init__(self, value: FunctionRef | ClassRef | External) -> None:
        self.value = value
        self._key: Hashable = value.key

    def __eq__(self, other: object) -> bool:
        return isinstance(other, CallableKey) and other._key == self._key

    def __hash__(self) -> int:
        return hash(self._key)

    def __repr__(self) -> str:
        if isinstance(self.value, External):
            return self.value.name
        named = self.value.code if isinstance(self.value, FunctionRef) else self.value.cls
        return named.qualified_name.rpartition(".")[2]


def key_of(value: Value) -> Any | None:
    """The key that a value makes in a dict; None where it is not known (that of None itself is `Const(None)`'s)."""
    if isinstance(value, Const):
        return value.value
    return CallableKey(value) if isinstance(value, (FunctionRef, ClassRef, External)) else None


def is_known_key(value: Value) -> bool:
    """Whether it is known which key a value makes."""
    return isinstance(value, (Const, FunctionRef, ClassRef, External))


def value_of(key: Any) -> Value:
    """What stands for a key when the dict is looped over."""
    return key.value if isinstance(key, CallableKey) else Const(key)
