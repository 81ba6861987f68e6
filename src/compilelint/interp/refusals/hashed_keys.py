"""Objects as keys: what Dynamo hashes itself when a table is asked for one.

Measured on torch 2.13 and 2.15. `list[int]` has a hash in C that Dynamo does not call, whatever asks for it. Up to 2.14
a dict from outside does not find an object from outside whose class writes its own hash (a date, a fraction, a path, a
class of the program with `__hash__`); `in` and `get` do, and so does a dict that the region makes.
"""

from __future__ import annotations

from typing import Final

from compilelint.interp.core.markers import ALIAS
from compilelint.interp.core.perform import Operation, Use, rule
from compilelint.interp.core.refusals import refused
from compilelint.interp.effects.container_writes import handed_in
from compilelint.project.classes import ClassInfo
from compilelint.syntax import ir
from compilelint.values import ClassRef, External, Instance, Mapping, Object, Sequence, Value

_HASH: Final = "GB2861"  # "Untraceable C tp_hash"
_NOT_FOUND: Final = "GB0088|dict[object]"  # "Observed exception"
_OF_CLASS: Final = "GB0088|hash of a class"
_OWN_HASH: Final = ("datetime.", "fractions.Fraction", "decimal.Decimal", "uuid.UUID", "pathlib.", "ipaddress.")


def _parts(key: Value) -> tuple[Value, ...]:
    return key.items if isinstance(key, Sequence) and key.kind == "tuple" and key.items is not None else (key,)


def _is_alias(key: Value) -> bool:
    return any(isinstance(one, Instance) and one.name == ALIAS for one in _parts(key))


def _writes_hash(key: Value) -> bool:
    for one in _parts(key):
        if isinstance(one, Instance) and not one.inside and one.name.startswith(_OWN_HASH):
            return True
        if isinstance(one, Object) and not one.inside and isinstance(one.cls, ClassInfo):
            return one.cls.method("__hash__") is not None
    return False


@rule(Operation.GET_ITEM, Mapping)
def looked_up(use: Use) -> None:
    """`table[key]` of a dict."""
    f, (held, key), pos, node = use.frame, use.operands, use.pos, use.node
    if f.modes.silent or not isinstance(held, Mapping) or not isinstance(node, ir.Index):
        return
    if _is_alias(key):
        refused(f, _HASH, "dict[list[int]]", (held, key), pos)
    elif handed_in(f, node.value) and _writes_hash(key):
        refused(f, _NOT_FOUND, "dict[object]", (held, key), pos)


@rule(Operation.CONTAINS, Mapping, Sequence)
def searched(use: Use) -> None:
    """`key in table` of a dict or a set."""
    f, (key, held), pos = use.frame, use.operands, use.pos
    of_set = isinstance(held, Sequence) and held.kind in ("set", "frozenset")
    if not f.modes.silent and (of_set or isinstance(held, Mapping)) and _is_alias(key):
        refused(f, _HASH, "list[int] in table", (key, held), pos)


@rule(Operation.CALL, External, names=("builtins.hash",))
def hashed(use: Use) -> None:
    """`hash(key)`."""
    f, key, pos = use.frame, use.args.get(0), use.pos
    if key is None or f.modes.silent:
        return
    if _is_alias(key):
        refused(f, _HASH, "hash(list[int])", (key,), pos)
    elif isinstance(key, ClassRef) and isinstance(key.cls, ClassInfo) and key.cls.is_autograd_function:
        refused(f, _OF_CLASS, "hash(class)", (key,), pos)
