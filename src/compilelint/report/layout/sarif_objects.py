"""sarif-om's objects as JSON.

Its companion `jschema_to_python` leaves out every value that equals the schema's default, an explicit `level: warning`
too, and code scanning then takes the level of the rule.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

import attr

_ALWAYS_SAID = frozenset({"level"})


def as_json(value: Any) -> Any:
    """A tree of sarif-om objects, lists, dicts and plain values as plain data, without nulls and defaults."""
    if isinstance(value, Mapping):
        return {key: as_json(one) for key, one in value.items() if one is not None}
    if isinstance(value, (list, tuple)):
        return [as_json(one) for one in value]
    kind: Any = type(value)
    if not attr.has(kind):
        return value
    found = {}
    for attribute, name, default in _fields(kind):
        one = getattr(value, attribute)
        if one is not None and (name in _ALWAYS_SAID or one != default):
            found[name] = as_json(one)
    return found


@cache
def _fields(kind: Any) -> tuple[tuple[str, str, Any], ...]:
    """Each field of a sarif-om class: its name in Python, its name in the schema, and its default."""
    return tuple((one.name, one.metadata["schema_property_name"], _default(one)) for one in attr.fields(kind))


def _default(field: attr.Attribute[Any]) -> Any:
    default: Any = field.default
    return default.factory() if isinstance(default, attr.Factory) else default  # type: ignore[arg-type]  # none takes self
