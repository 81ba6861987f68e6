"""The names that torch's configurations have, by version: `settings.json`, as the generator has read them.

The first version has all its names, each later one what it adds and what it lacks (`-name`) beside the one before. A
version that was not read has none, so that nothing is said of it. Loads no torch and runs nothing.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from compilelint.torchfacts.errors import FactsError
from compilelint.torchfacts.store import DATA, key_of, read


@functools.cache
def settings(data: Path = DATA) -> Mapping[str, Mapping[str, frozenset[str]]]:
    """By version and module (`torch._dynamo.config`) the settings; raises FactsError where the file is damaged."""
    content: Any = read("settings.json", data)
    try:
        known: dict[str, Mapping[str, frozenset[str]]] = {}
        last: Mapping[str, frozenset[str]] = {}
        for version, modules in sorted(content["versions"].items(), key=lambda item: key_of(item[0])):
            last = {module: _after(last.get(module, frozenset()), names.split()) for module, names in modules.items()}
            known[version] = last
        return known
    except (AttributeError, KeyError, TypeError) as error:
        raise FactsError(
            f"settings.json is damaged: {error!r}", str(data / "settings.json"), "reinstall compilelint"
        ) from error


def _after(before: frozenset[str], changes: list[str]) -> frozenset[str]:
    gone = {name[1:] for name in changes if name.startswith("-")}
    return before.union(name for name in changes if not name.startswith("-")) - gone


def changes(before: frozenset[str], names: frozenset[str]) -> str:
    """What a version adds to the names of the one before, and what it lacks, as the file has it."""
    return " ".join([*sorted(names - before), *(f"-{name}" for name in sorted(before - names))])
