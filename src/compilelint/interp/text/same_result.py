"""Whether two results of interpretation are the same in all that anyone can read of them, origins and places included.

Functions, classes, modules and frames are the same where they are one object, nodes where they say the same at the same
places. Does not belong here: whether two values mean the same (their keys).
"""

from __future__ import annotations

from typing import Any

from compilelint.syntax import ir
from compilelint.syntax.same import same

_ONE = (
    "compilelint.project.",
    "compilelint.interp.core.frame",
    "compilelint.torchfacts",
)
_slots: dict[type[Any], tuple[str, ...] | None] = {}


def alike(one: Any, other: Any) -> bool:
    """Whether nothing distinguishes one from the other."""
    left = [(one, other)]
    seen: set[tuple[int, int]] = set()
    while left:
        mine, its = left.pop()
        if mine is its:
            continue
        kind = mine.__class__
        if kind is not its.__class__:
            return False
        if kind is tuple or kind is list:
            if len(mine) != len(its):
                return False
            left += zip(mine, its, strict=True)
            continue
        if kind is dict:
            if list(mine) != list(its):
                return False
            left += zip(mine.values(), its.values(), strict=True)
            continue
        fields = _slots[kind] if kind in _slots else _fields_of(kind)
        if fields is None:
            if mine != its:
                return False
        elif kind.__module__ == ir.__name__:
            if not same(mine, its):
                return False
        elif not fields:
            return False
        elif (id(mine), id(its)) not in seen:
            seen.add((id(mine), id(its)))
            for name in fields:
                left.append((getattr(mine, name, None), getattr(its, name, None)))
    return True


def _fields_of(kind: type[Any]) -> tuple[str, ...] | None:
    """The fields to compare; none where only the very object is alike, None where `==` says it."""
    fields: tuple[str, ...] | None = None
    if kind.__module__.startswith("compilelint."):
        slots = tuple([name for base in kind.__mro__ for name in getattr(base, "__slots__", ())])
        one = kind.__module__.startswith(_ONE) or issubclass(kind, ir.Noted)
        if not (hasattr(kind, "__members__") or issubclass(kind, tuple)):
            fields = () if one else slots
    _slots[kind] = fields
    return fields
