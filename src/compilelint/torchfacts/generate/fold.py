"""Folds one measured table into the shipped ones: replaces its version, carries new keys over to the others.

A key that another version's table does not have is carried over as `assumed`: the reason holds until someone
measures that version, the break id only where that version's registry has it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

from compilelint.torchfacts import store
from compilelint.torchfacts.errors import FactsError
from compilelint.torchfacts.generate.encode import Measured, dump, grouped, packed, write
from compilelint.torchfacts.reasons import reason_of_words
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
        device = set(table.device) if table.on_device else set()
        found[version] = Measured(version, table.python, verdicts, assumed, config, rules, table.generated, device)
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


def with_newer_reasons(verdicts: dict[str, str], version: str, tables: dict[str, Measured]) -> dict[str, str]:
    """The verdicts of a torch without break ids, each with the reason that the next newer version gives the name.

    One outcome has one reason in all versions, and what those old ones say of a break is often only where it happened.
    Verdicts of a version that has ids are answered as they are.
    """
    newer = [tables[one] for one in sorted(tables, key=store.key_of) if store.key_of(one) > store.key_of(version)]
    if any("@" in text for text in verdicts.values()):
        return verdicts
    found = {}
    for key, text in verdicts.items():
        measured = [table for table in newer if key in table.verdicts and key not in table.assumed]
        reasons = [parse(table.verdicts[key]).reason for table in measured]
        reason = next((reason for reason in reasons if reason is not None), None)
        verdict = parse(text)
        found[key] = text if reason is None or verdict.reason is None else str(replace(verdict, reason=reason))
    return found


def fold(measured: dict[str, Any], tables: dict[str, Measured], data: Path = store.DATA) -> None:
    """Puts a measured file's content (see `command`) into `tables`, in place.

    Raises FactsError for a file that holds only what a device showed, of a version that has no table yet.
    """
    version: str = measured["torch"]
    if "config" in measured:
        _fold_table(measured, tables)
    elif version not in tables:
        hint = "measure the rest of that version first: run without --only"
        raise FactsError(f"no table of torch {version} is shipped", str(data), hint)
    new = _texts_by_key(measured.get("device", {}).get("verdicts", {}))
    if new:
        own = tables[version]
        # What a run without a device showed of some version stands.
        shown = {key for table in tables.values() for key in table.verdicts.keys() - table.assumed - table.device}
        own.device = new.keys() - shown
        own.assumed -= own.device
        own.verdicts.update({key: new[key] for key in own.device})
    lend(tables, data)


def _texts_by_key(verdicts: dict[str, list[str]]) -> dict[str, str]:
    return {key: text for text, keys in verdicts.items() for key in keys}


def _fold_table(measured: dict[str, Any], tables: dict[str, Measured]) -> None:
    own = tables.setdefault(measured["torch"], Measured(measured["torch"], measured["python"]))
    new = _texts_by_key(measured["verdicts"])
    # What could not be measured in that environment stays as it was, unless it was only assumed.
    for key in own.assumed - new.keys():
        del own.verdicts[key]
    own.python, own.generated, own.assumed = measured["python"], True, set()
    own.verdicts.update(new)
    own.config = measured["config"]
    own.rules.update({name: frozenset(names) for name, names in measured["rules"].items()})
    for table in tables.values():
        for key in table.device & new.keys() if table is not own else ():
            del table.verdicts[key]
        table.device -= new.keys()


def lend(tables: dict[str, Measured], data: Path) -> None:
    """Gives the tables what only others know, from the nearest of them: the generated ones, those with a device.

    A key that some recorded table has is not lent to the others: there it was asked for and does not exist.
    """
    generated = [table for table in tables.values() if table.generated]
    recorded = [table for table in tables.values() if not table.generated]
    on_device = {key for table in tables.values() for key in table.device}
    for table in tables.values():
        for key in table.assumed:
            del table.verdicts[key]
        table.assumed = set()
    known = {key for table in recorded for key in table.verdicts}
    for table in recorded:
        if not generated:
            break
        nearest, *others = _nearest_first(generated, table)
        version, newer = store.key_of(table.version), list[Measured]()
        if store.key_of(nearest.version) < version:
            newer = [lender for lender in others if store.key_of(lender.version) > version][:1]
        # What the nearest has no entry for traces there, or is younger than it: then the next newer one knows it.
        for lender in [nearest, *newer]:
            _lend_keys(lender, lender.verdicts.keys() - known - on_device, table, data)
        for lender in others:
            _lend_ids(lender, table, data)
        for rule, names in nearest.rules.items():
            table.rules.setdefault(rule, names)
    lenders = [table for table in tables.values() if table.device]
    for table in tables.values():
        for lender in _nearest_first(lenders, table) if not table.device else ():
            _lend_keys(lender, lender.device - _traced_since(lender, generated, table), table, data)


def _traced_since(lender: Measured, generated: list[Measured], table: Measured) -> set[str]:
    """What broke on the lender's device, and what a version nearer to `table` puts into the graph.

    The latter is known without a device: it is a trace rule.
    """
    nearest = _nearest_first([lender, *generated], table)[0]
    in_graph = frozenset() if nearest is lender else nearest.rules.get("in_graph", frozenset())
    return {key for key in lender.device & in_graph if parse(lender.verdicts[key]).reason is not None}


def _lend_keys(lender: Measured, keys: set[str], table: Measured, data: Path) -> None:
    for key in keys - table.verdicts.keys():
        table.verdicts[key] = carried(lender.verdicts[key], table.version, data)
        table.assumed.add(key)


def _lend_ids(lender: Measured, table: Measured, data: Path) -> None:
    """Completes what a version without break ids lent, where one that has them agrees but for those."""
    for key in table.assumed & lender.verdicts.keys():
        text = table.verdicts[key]
        if "@" not in text and store.without_ids(other := carried(lender.verdicts[key], table.version, data)) == text:
            table.verdicts[key] = other


def _nearest_first(lenders: list[Measured], table: Measured) -> list[Measured]:
    return sorted(lenders, key=lambda lender: _distance(lender.version, table.version))


def _distance(version: str, other: str) -> tuple[int, bool]:
    """A sortable distance of two versions, in minor releases; of two that are equally far the older comes first."""
    (major, minor), (other_major, other_minor) = store.key_of(version)[:2], store.key_of(other)[:2]
    return abs((major - other_major) * 100 + minor - other_minor), store.key_of(version) > store.key_of(other)


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
    """The registry's content with a version's ids: one more version, or what is missing of one that it has."""
    if version not in registry["versions"]:
        registry["versions"].append(version)
    bit = 1 << registry["versions"].index(version)
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
        if not live:
            continue  # torch never takes an id out of its registry; what no version raises is never met
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
