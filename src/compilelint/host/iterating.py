"""What is gone over: the items of containers, ranges, generators and loaders."""

from __future__ import annotations

from typing import Any

from compilelint.host import loaders
from compilelint.host.protocol import Machine
from compilelint.host.values import (
    Class,
    Lib,
    Member,
    Tensor,
    Thing,
    Unknown,
    Value,
)


class Text(Unknown):
    """Some text that is not known."""

    __slots__ = ()


SOME_TEXT = Text()


class Some:
    """Several values of which only one is known, as an example: `element` stands for each."""

    __slots__ = ("element",)

    def __init__(self, element: Value) -> None:
        self.element = element


class Given(list[Any]):
    """What a generator gives, or an iterator: it is gone over once."""


def sampled(value: Value, items: list[Value], limit: int) -> list[Value]:
    """The first items of what is gone over, and the very last: what a loop does only late is done there."""
    if len(items) <= limit or limit < 2:
        return items[:limit]
    return [*items[: limit - 1], value[-1] if isinstance(value, range) else items[-1]]


def items_of(m: Machine, value: Value, limit: int) -> list[Value] | None:
    """What is gone over; None where it is not known."""
    if isinstance(value, (list, tuple, set)):
        return list(value)
    if isinstance(value, range):
        return list(value[: limit + 1])
    if isinstance(value, dict):
        return list(value)
    if isinstance(value, str):
        return list(value[: limit + 1])
    if isinstance(value, Tensor) and value.shape and isinstance(value.shape[0], int):
        return [value.but(shape=value.shape[1:])] * min(value.shape[0], limit)
    if isinstance(value, Class):
        members = [one for one in value.attrs.values() if isinstance(one, Member)]
        return members or None
    if isinstance(value, Lib):
        if value.name == "torch.utils.data.DataLoader":
            return loaders.batches(m, value, limit)
        if value.items is not None:
            return list(value.items)
    if isinstance(value, Thing):
        if "<items>" in value.attrs:
            return list(value.attrs["<items>"])
        if value.cls.method("__iter__") is not None and m.calls:
            env, pos = m.calls[-1]
            return items_of(m, m.call_method(env, value, "__iter__", [], {}, pos), limit)
        return loaders.elements(m, value, limit)
    return None
