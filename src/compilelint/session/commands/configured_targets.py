"""The targets that a project's configuration names."""

from __future__ import annotations

from compilelint.config import Options
from compilelint.dynamic.targets import Target, TargetError, target_from


def configured_targets(options: Options) -> tuple[Target, ...]:
    """The targets of `[[tool.compilelint.targets]]`. Raises TargetError for a table that cannot be understood."""
    found: dict[str, Target] = {}
    for table in options.targets:
        target = target_from(table.values, table.where())
        if target.label in found:
            what = f"two targets are called {target.label!r}"
            raise TargetError(what, table.where(), 'give one of them a `name = "..."`')
        found[target.label] = target
    return tuple(found.values())
