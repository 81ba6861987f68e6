"""Folds one measured table into the shipped ones: replaces its version, carries new keys over to the others.

A key that another version's table does not have is carried over as `assumed`: the reason holds until somebody
measures that version, the break id only where that version's registry has it.
"""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

from compilelint.torchfacts import store
from compilelint.torchfacts.generate.encode import Measured, dump, write
from compilelint.torchfacts.registry import entries
from compilelint.torchfacts.verdict import parse

# From this version on `fullgraph=True` implies both capture flags; before, a break that a flag cures breaks there too.
_FULLGRAPH_CAPTURES = (2, 10)


def shipped(data: Path = store.DATA) -> dict[str, Measured]:
    """All shipped tables by version."""
    found: dict[str, Measured] = {}
    for version in store.versions(data):
        table = store.table(version, data)
        python = store.read(f"{version}.json", data)["python"]
        found[version] = Measured(version, python, dict(table.verdicts), set(table.assumed), dict(table.config), dict(table.rules))
    return found


def carried(text: str, version: str, data: Path = store.DATA) -> str:
    """A verdict measured in another version, as far as it can hold in `version`."""
    verdict = parse(text)
    if verdict.gb_id and verdict.gb_id not in entries(version, data):
        verdict = replace(verdict, gb_id=None)
    if verdict.full.startswith("GB") and verdict.full not in entries(version, data):
        verdict = replace(verdict, full="break")
    if store.key_of(version)[:2] < _FULLGRAPH_CAPTURES and verdict.full in ("ok", "error") and verdict.reason is not None:
        verdict = replace(verdict, full="")
    return str(verdict)


def fold(measured: dict[str, Any], tables: dict[str, Measured], data: Path = store.DATA) -> None:
    """Puts a measured file's content (see `__main__`) into `tables`, in place."""
    version: str = measured["torch"]
    own = tables.setdefault(version, Measured(version, measured["python"]))
    # What could not be measured in that environment stays as it was.
    new = {key: text for text, keys in measured["verdicts"].items() for key in keys}
    own.python = measured["python"]
    own.verdicts.update(new)
    own.assumed.difference_update(new)
    own.config = measured["config"]
    own.rules.update({name: frozenset(names) for name, names in measured["rules"].items()})
    for other in tables.values():
        if other is own:
            continue
        for key, text in new.items():
            if key not in other.verdicts or key in other.assumed:
                other.verdicts[key] = carried(text, other.version, data)
                other.assumed.add(key)
        for rule, names in own.rules.items():
            other.rules.setdefault(rule, names)


def traits_content(measured: dict[str, Any]) -> dict[str, Any]:
    """`traits.json`: names by trait, sorted."""
    returns: dict[str, list[str]] = {}
    for name, value in sorted(measured["traits"].get("returns", {}).items()):
        returns.setdefault(value, []).append(name)
    traits = measured["traits"]
    return {"schema": store.SCHEMA, "returns": dict(sorted(returns.items())), **{name: sorted(traits[name]) for name in ("random", "view", "sync")}}


def with_words(registry: dict[str, Any], words: dict[str, Any], used: set[str]) -> dict[str, Any]:
    """The registry's content with torch's explanations and hints for the ids that some table uses."""
    for rows in registry["reasons"].values():
        for gb_id, row in rows.items():
            if gb_id in used and gb_id in words:
                row[3:] = words[gb_id]
    return registry


def used_ids(tables: dict[str, Measured]) -> set[str]:
    """The break ids that occur in the tables."""
    verdicts = (parse(text) for table in tables.values() for text in set(table.verdicts.values()))
    return {gb_id for verdict in verdicts for gb_id in (verdict.gb_id, verdict.full) if gb_id and gb_id.startswith("GB")}


def install(measured: dict[str, Any], data: Path = store.DATA) -> list[str]:
    """Folds a measured file into the shipped data and answers the names of the files written."""
    tables = shipped(data)
    fold(measured, tables, data)
    sizes = write(tables.values(), data)
    (data / "traits.json").write_text(dump(traits_content(measured)), encoding="utf-8")
    registry = with_words(store.read("registry.json", data), measured["words"], used_ids(tables))
    (data / "registry.json").write_text(dump(registry), encoding="utf-8")
    store.table.cache_clear()
    return [*sizes, "traits.json", "registry.json"]


def load_measured(path: Path) -> dict[str, Any]:
    """A measured file's content; raises ValueError where it is none."""
    content = json.loads(path.read_text(encoding="utf-8"))
    if not isinstance(content, dict) or not {"torch", "verdicts", "traits", "words"} <= content.keys():
        raise ValueError(f"{path} is no measured table")
    return content
