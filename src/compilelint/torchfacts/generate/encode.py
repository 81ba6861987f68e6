"""Writes tables to the data files, deterministically: whole for the newest version, as differences for the others."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from compilelint.torchfacts.store import SCHEMA, key_of


@dataclass(slots=True)
class Measured:
    """One version's table before it is written. `verdicts` maps keys to verdict texts."""

    version: str
    python: str
    verdicts: dict[str, str] = field(default_factory=dict)
    assumed: set[str] = field(default_factory=set)
    config: dict[str, Any] = field(default_factory=dict)
    rules: dict[str, frozenset[str]] = field(default_factory=dict)


def grouped(verdicts: Mapping[str, str]) -> dict[str, list[str]]:
    """Keys by verdict, both sorted: the form the files hold."""
    groups: dict[str, list[str]] = {}
    for key in sorted(verdicts):
        groups.setdefault(verdicts[key], []).append(key)
    return dict(sorted(groups.items()))


def packed(verdicts: Mapping[str, str]) -> dict[str, dict[str, str | list[str]]]:
    """As `grouped`, the keys split at their last dot: prefix -> names, in one string where none has a blank.

    A third of the size of the plain keys.
    """
    groups: dict[str, dict[str, list[str]]] = {}
    for key in sorted(verdicts):
        name = key.partition("|")[0]
        cut = (name.find(":") if name.startswith("syntax:") else name.rfind(".")) + 1
        groups.setdefault(verdicts[key], {}).setdefault(key[:cut], []).append(key[cut:])
    return {
        text: {prefix: names if any(" " in name for name in names) else " ".join(names) for prefix, names in sorted(by_prefix.items())}
        for text, by_prefix in sorted(groups.items())
    }


def _changes(new: Mapping[str, Any], base: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in new.items() if key not in base or base[key] != value}


def content(table: Measured, base: Measured | None) -> dict[str, Any]:
    """The JSON object of `table`'s file: whole where `base` is None, else what differs from `base`."""
    whole: dict[str, Any] = {"schema": SCHEMA, "torch": table.version, "python": table.python}
    if base is None:
        rules = {name: {"names": sorted(names)} for name, names in sorted(table.rules.items())}
        return {
            **whole,
            "verdicts": packed(table.verdicts),
            "assumed": sorted(table.assumed),
            "config": dict(sorted(table.config.items())),
            "rules": rules,
        }
    rule_changes: dict[str, dict[str, list[str]]] = {}
    for name in sorted(table.rules.keys() | base.rules.keys()):
        new, old = table.rules.get(name, frozenset()), base.rules.get(name, frozenset())
        if new != old:
            rule_changes[name] = {"names": sorted(new - old), "gone": sorted(old - new)}
    return {
        **whole,
        "base": base.version,
        "verdicts": packed(_changes(table.verdicts, base.verdicts)),
        "gone": sorted(base.verdicts.keys() - table.verdicts.keys()),
        "assumed": sorted(table.assumed - base.assumed),
        "measured": sorted(base.assumed - table.assumed),
        "config": dict(sorted(_changes(table.config, base.config).items())),
        "config_gone": sorted(base.config.keys() - table.config.keys()),
        "rules": rule_changes,
    }


def dump(value: Any) -> str:
    """Compact JSON, one line a top-level entry (and a verdict), so that a diff of two files can be read."""
    lines = []
    for key, entry in value.items():
        if isinstance(entry, dict) and entry:
            rows = ",\n".join(f"{_compact(name)}:{_rows(row)}" for name, row in entry.items())
            lines.append(f"{_compact(key)}:{{\n{rows}\n}}")
        elif isinstance(entry, list) and entry and isinstance(entry[0], dict):
            lines.append(f"{_compact(key)}:[\n" + ",\n".join(map(_compact, entry)) + "\n]")
        else:
            lines.append(f"{_compact(key)}:{_compact(entry)}")
    return "{\n" + ",\n".join(lines) + "\n}\n"


def _rows(row: Any) -> str:
    """A nested object again one line an entry, where its entries are collections."""
    if isinstance(row, dict) and all(isinstance(value, (str, list)) for value in row.values()) and len(row) > 1:
        return "{" + ",\n".join(f"{_compact(name)}:{_compact(value)}" for name, value in row.items()) + "}"
    return _compact(row)


def _compact(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


def write(tables: Iterable[Measured], folder: Path) -> dict[str, int]:
    """Writes one file a table into `folder` and answers file sizes in bytes by name."""
    ordered = sorted(tables, key=lambda table: key_of(table.version), reverse=True)
    sizes: dict[str, int] = {}
    base: Measured | None = None
    for table in ordered:
        text = dump(content(table, base))
        path = folder / f"{table.version}.json"
        path.write_text(text, encoding="utf-8", newline="\n")
        sizes[path.name] = len(text.encode())
        base = table
    return sizes
