"""Folds one measured table into the shipped ones: replaces its version, carries new keys over to the others.

A key that another version's table does not have is carried over as `assumed`: the reason holds until somebody
measures that version, the break id only where that version's registry has it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

from compilelint.torchfacts import store
from compilelint.torchfacts.generate.encode import Measured, dump, grouped, packed, write
from compilelint.torchfacts.generate.reasons import reason_of_words
from compilelint.torchfacts.registry import entries
from compilelint.torchfacts.verdict import parse
from compilelint.torchfacts.vocabulary import Returns

# From this version on `fullgraph=True` implies both capture flags; before, a break that a flag cures breaks there too.
_FULLGRAPH_CAPTURES = (2, 10)


def shipped(data: Path = store.DATA) -> dict[str, Measured]:
    """All shipped tables by version."""
    found: dict[str, Measured] = {}
    for version in store.versions(data):
        table = store.table(version, data)
        assumed = {key for key in table.verdicts if table.assumes(key)}
        verdicts, config, rules = dict(table.verdicts), dict(table.config), dict(table.rules)
        found[version] = Measured(version, table.python, verdicts, assumed, config, rules, table.generated)
    return found


def carried(text: str, version: str, data: Path = store.DATA) -> str:
    """A verdict measured in another version, as far as it can hold in `version`."""
    verdict = parse(text)
    if verdict.gb_id and verdict.gb_id not in entries(version, data):
        verdict = replace(verdict, gb_id=None)
    if verdict.full.startswith("GB") and verdict.full not in entries(version, data):
        verdict = replace(verdict, full="break")
    if (
        store.key_of(version)[:2] < _FULLGRAPH_CAPTURES
        and verdict.full in ("ok", "error")
        and verdict.reason is not None
    ):
        verdict = replace(verdict, full="")
    return str(verdict)


def fold(measured: dict[str, Any], tables: dict[str, Measured], data: Path = store.DATA) -> None:
    """Puts a measured file's content (see `__main__`) into `tables`, in place."""
    version: str = measured["torch"]
    own = tables.setdefault(version, Measured(version, measured["python"]))
    new = {key: text for text, keys in measured["verdicts"].items() for key in keys}
    # What could not be measured in that environment stays as it was, unless it was only assumed.
    for key in own.assumed - new.keys():
        del own.verdicts[key]
    own.python, own.generated, own.assumed = measured["python"], True, set()
    own.verdicts.update(new)
    own.config = measured["config"]
    own.rules.update({name: frozenset(names) for name, names in measured["rules"].items()})
    _lend(tables, data)


def _lend(tables: dict[str, Measured], data: Path) -> None:
    """Gives the tables that were not generated what only generated ones know, from the nearest of them.

    A key that some recorded table has is not lent to the others: there it was asked for and does not exist.
    """
    generated = sorted(
        (table for table in tables.values() if table.generated), key=lambda table: store.key_of(table.version)
    )
    recorded = [table for table in tables.values() if not table.generated]
    known = {key for table in recorded for key in table.verdicts if key not in table.assumed}
    for table in recorded:
        for key in table.assumed:
            del table.verdicts[key]
        table.assumed = set()
        version = store.key_of(table.version)
        older = [lender for lender in reversed(generated) if store.key_of(lender.version) < version]
        newer = [lender for lender in generated if store.key_of(lender.version) > version]
        for lender in [*older, *newer]:
            for key in lender.verdicts.keys() - known - table.assumed:
                table.verdicts[key] = carried(lender.verdicts[key], table.version, data)
                table.assumed.add(key)
            for rule, names in lender.rules.items():
                table.rules.setdefault(rule, names)


def traits_content(measured: list[dict[str, Any]]) -> dict[str, Any]:
    """`traits.json`: names by trait, sorted; where measured files disagree, the later one in the list stands.

    Most of torch returns a tensor, so that of torch only the other names are listed.
    """
    returns: dict[str, str] = {}
    flags: dict[str, set[str]] = {"random": set(), "view": set(), "sync": set()}
    for content in measured:
        returns.update(content["traits"]["returns"])
        for flag, names in flags.items():
            names.update(content["traits"][flag])
    listed = {
        name: value
        for name, value in returns.items()
        if value != (store.IMPLIED if store.implied(name) else Returns.UNKNOWN.value)
    }
    return {
        "schema": store.SCHEMA,
        "returns": {value: packed(names) for value, names in grouped(listed).items()},
        **{flag: packed(names) for flag, names in flags.items()},
    }


def with_version(registry: dict[str, Any], version: str, registered: dict[str, list[Any]]) -> dict[str, Any]:
    """The registry's content with one more version's ids; as it is where it knows the version already."""
    if version in registry["versions"]:
        return registry
    bit = 1 << len(registry["versions"])
    registry["versions"].append(version)
    rows: dict[str, tuple[str, list[Any], int, int]] = {}
    for reason, by_masks in registry["reasons"].items():
        for masks, types in by_masks.items():
            present, live = map(int, masks.split())
            for number, types_of in types.items():
                named = [[types_of, present]] if isinstance(types_of, str) else types_of
                rows[number] = (reason, named, present, live)
    for gb_id, (text, raised) in registered.items():
        number = gb_id.removeprefix("GB")
        reason, named, present, live = rows.get(number, (reason_of_words(text).value, [], 0, 0))
        masks_by_type: dict[str, int] = dict(named)
        masks_by_type[text] = masks_by_type.get(text, 0) | bit
        named = [list(pair) for pair in masks_by_type.items()]
        rows[number] = (reason, named, present | bit, live | bit if raised else live)
    reasons: dict[str, dict[str, dict[str, Any]]] = {}
    for number, (reason, named, present, live) in sorted(rows.items()):
        by_masks = reasons.setdefault(reason, {})
        by_masks.setdefault(f"{present} {live}", {})[number] = named[0][0] if len(named) == 1 else named
    registry["reasons"] = dict(sorted(reasons.items()))
    return registry


def with_words(registry: dict[str, Any], words: dict[str, Any], used: set[str]) -> dict[str, Any]:
    """The registry's content with torch's explanations and hints for the ids that some table uses.

    Hints repeat, so that an entry holds their numbers.
    """
    for gb_id in sorted(used & words.keys()):
        explanation, lines = words[gb_id]
        if not explanation and not lines:
            continue
        registry["hints"] += [line for line in dict.fromkeys(lines) if line not in registry["hints"]]
        registry["words"][gb_id.removeprefix("GB")] = [explanation, [registry["hints"].index(line) for line in lines]]
    registry["words"] = dict(sorted(registry["words"].items()))
    return registry


def used_ids(tables: Iterable[Measured]) -> set[str]:
    """The break ids that occur in the tables."""
    verdicts = (parse(text) for table in tables for text in set(table.verdicts.values()))
    return {
        gb_id for verdict in verdicts for gb_id in (verdict.gb_id, verdict.full) if gb_id and gb_id.startswith("GB")
    }


def install(measured: dict[str, Any], data: Path = store.DATA) -> list[str]:
    """Folds a measured file into the shipped data and answers the names of the files written."""
    tables = shipped(data)
    registry = with_version(store.read("registry.json", data), measured["torch"], measured["registry"])
    (data / "registry.json").write_text(dump(registry), encoding="utf-8")
    entries.cache_clear()
    fold(measured, tables, data)
    sizes = write(tables.values(), data)
    traits = dump(traits_content([shipped_traits(data), measured]))
    (data / "traits.json").write_text(traits, encoding="utf-8")
    registry = with_words(registry, measured["words"], used_ids(tables.values()))
    (data / "registry.json").write_text(dump(registry), encoding="utf-8")
    for cache in (store.table, entries):
        cache.cache_clear()
    return [*sizes, "traits.json", "registry.json"]


def shipped_traits(data: Path = store.DATA) -> dict[str, Any]:
    """The shipped traits in the form that a measured file has them."""
    content = store.read("traits.json", data)
    returns = {name: value for value, names in content["returns"].items() for name in store.unpacked(names)}
    return {
        "traits": {"returns": returns, **{flag: store.unpacked(content[flag]) for flag in ("random", "view", "sync")}}
    }


def load_measured(path: Path) -> dict[str, Any]:
    """A measured file's content; raises ValueError where it is none."""
    content = json.loads(path.read_text(encoding="utf-8"))
    if not isinstance(content, dict) or not {"torch", "verdicts", "traits", "words"} <= content.keys():
        raise ValueError(f"{path} is no measured table")
    return content
