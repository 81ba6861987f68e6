"""Writes tables to the data files, deterministically: whole for the newest version, as differences for the others."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from compilelint.model.patterns import late_pattern
from compilelint.torchfacts.store import IN_PLACE, SCHEMA, key_of, without_ids


@dataclass(slots=True)
class Measured:
    """One version's table before it is written. `verdicts` maps keys to verdict texts.

    `generated` marks a table that `torchfacts.generate` measured from one converted from older recordings, which
    lacks keys; those it was lent from a generated table are `assumed`. `device` are the keys that were measured on a
    CUDA device; tables of versions without one are lent them too.
    """

    version: str
    python: str
    verdicts: dict[str, str] = field(default_factory=dict)
    assumed: set[str] = field(default_factory=set)
    config: dict[str, Any] = field(default_factory=dict)
    rules: dict[str, frozenset[str]] = field(default_factory=dict)
    generated: bool = False
    device: set[str] = field(default_factory=set)


def grouped(verdicts: Mapping[str, str]) -> dict[str, list[str]]:
    """Keys by verdict, both sorted."""
    groups: dict[str, list[str]] = {}
    for key in sorted(verdicts):
        groups.setdefault(verdicts[key], []).append(key)
    return dict(sorted(groups.items()))


def packed(keys: Iterable[str]) -> dict[str, str | list[str]]:
    """Keys split at their last dot and gathered by the places that a name has: `torch.,torch.Tensor.` -> names.

    The names are one string where none has a blank; `torch.Tensor.*_` stands for the in-place method of the name. Torch
    says most of its names two to four times, so that this is a quarter of the size of the plain keys.
    """
    places: dict[str, set[str]] = {}
    for key in keys:
        name = key.partition("|")[0]
        cut = (name.find(":") if name.startswith("syntax:") else name.rfind(".")) + 1
        places.setdefault(key[cut:], set()).add(key[:cut])
    for name in sorted(places):
        plain = name.removesuffix("_")
        if name.endswith("_") and not name.endswith("__") and plain in places:
            places[plain].update(place + IN_PLACE for place in places.pop(name))
    by_places: dict[str, list[str]] = {}
    for name in sorted(places):
        by_places.setdefault(",".join(sorted(places[name])), []).append(name)
    return {
        where: names if any(" " in name for name in names) else " ".join(names)
        for where, names in sorted(by_places.items())
    }


OPTIONS = ("capture_dynamic_output_shape_ops", "capture_scalar_outputs", "recompile_limit")
"""The options of Dynamo whose defaults a table holds: those that a prediction reads."""

_PRIVATE = late_pattern(r"^[._]|\._(?!dynamo\.)\w+\.|polyfills|pybind11")


def readable(names: Iterable[str]) -> frozenset[str]:
    """Those of the names that source code spells: no private module but Dynamo's own, no name without a module."""
    return frozenset(name for name in names if not _PRIVATE.search(name))


def _changes(new: Mapping[str, Any], base: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in new.items() if key not in base or base[key] != value}


def _has_ids(verdicts: Mapping[str, str]) -> bool:
    return any("@GB" in text for text in verdicts.values())


def _verdicts(verdicts: Mapping[str, str]) -> dict[str, Any]:
    return {text: packed(keys) for text, keys in grouped(verdicts).items()}


def content(
    table: Measured, base: Measured | None, lent: frozenset[str], device: Mapping[str, frozenset[str]]
) -> dict[str, Any]:
    """The JSON object of `table`'s file: whole where `base` is None, else what differs from `base`.

    `lent` are the keys that every table which was not generated only assumes; the whole file holds them for all, apart
    from the other verdicts (those that its own version lacks under the empty verdict). So it does with what was
    measured on a device: `device` lists the keys by version.
    """
    head: dict[str, Any] = {
        "schema": SCHEMA,
        "torch": table.version,
        "python": table.python,
        "generated": table.generated,
    }
    if base is None:
        rules = {name: {"names": packed(names)} for name, names in sorted(table.rules.items())}
        config = dict(sorted(table.config.items()))
        on_device = frozenset[str]().union(*device.values())
        borrowed = _verdicts({key: table.verdicts.get(key, "") for key in lent})
        own = _verdicts({key: text for key, text in table.verdicts.items() if key not in lent | on_device})
        of_device = {
            "versions": sorted(device, key=key_of),
            "verdicts": _verdicts({key: table.verdicts.get(key, "") for key in on_device}),
        }
        return {**head, "lent": borrowed, "device": of_device, "verdicts": own, "config": config, "rules": rules}
    rule_changes: dict[str, dict[str, Any]] = {}
    for name in sorted(table.rules.keys() | base.rules.keys()):
        new, old = table.rules.get(name, frozenset()), base.rules.get(name, frozenset())
        if new != old:
            rule_changes[name] = {"names": packed(new - old), "gone": packed(old - new)}
    inherited: Mapping[str, str] = base.verdicts
    strips = not _has_ids(table.verdicts)
    if strips:
        inherited = {key: without_ids(text) for key, text in inherited.items()}
    return {
        **head,
        "base": base.version,
        "without_ids": strips,
        "verdicts": _verdicts(_changes(table.verdicts, inherited)),
        "gone": packed(base.verdicts.keys() - table.verdicts.keys()),
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
    device = {table.version: frozenset(table.device) for table in ordered if table.device}
    lent = frozenset[str]().union(*(table.assumed for table in ordered)).difference(*device.values())
    sizes: dict[str, int] = {}
    base: Measured | None = None
    for table in ordered:
        text = dump(content(table, base, lent, device))
        path = folder / f"{table.version}.json"
        path.write_text(text, encoding="utf-8", newline="\n")
        sizes[path.name] = len(text.encode())
        base = table
    return sizes
