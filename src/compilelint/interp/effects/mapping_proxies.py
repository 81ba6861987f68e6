"""A `types.MappingProxyType` that was made outside: Dynamo reads it only while the region has written no dict.

It cannot say of which dict a proxy is the view. Measured on torch 2.13 and 2.15: after a write to an item of a dict
from outside, an item, `get`, `items` and the like of any such proxy end the graph; `in`, `len`, a dict made in the
region and a write that comes after the read do not.
"""

from __future__ import annotations

from typing import Final

from compilelint.interp.core.frame import Frame
from compilelint.interp.core.refusals import refusal
from compilelint.torchfacts import Fact
from compilelint.values import Instance, Mapping, Value

_STALE: Final = "GB0198"  # "mapping proxy affected by dictionary mutation"
_PROXY: Final = "types.MappingProxyType"
_READS: Final = frozenset({".get()", ".items()", ".keys()", ".values()", ".copy()"})
_WRITES: Final = frozenset({"update", "pop", "popitem", "setdefault", "clear"})


def written(f: Frame, owner: Value, outer: bool, how: str = "") -> None:
    """An item of a container is written, by `owner[...] = ` or by the method `how`; `outer` says it lies outside."""
    if (
        outer
        and isinstance(owner, Mapping)
        and not f.modes.silent
        and not f.around.conditional
        and (not how or how in _WRITES)
    ):
        f.effects.wrote_dict = True


def fact_on(f: Frame, value: Value, operation: str) -> Fact | None:
    """The fact on an operation on a value, where it is a proxy that a write has come before."""
    if not f.effects.wrote_dict or not isinstance(value, Instance) or value.name != _PROXY or value.inside:
        return None
    return refusal(f, _STALE) if operation.startswith("[") or operation in _READS else None
