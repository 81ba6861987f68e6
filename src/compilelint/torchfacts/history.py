"""The tables side by side: one name over all versions, and what changed between two. Data only, no printing."""

from __future__ import annotations

import enum
from pathlib import Path

from compilelint.model.slotted import dataclass
from compilelint.torchfacts.facts import TorchFacts, available, load
from compilelint.torchfacts.kinds import INSIDE, OUTSIDE
from compilelint.torchfacts.names import other_spelling
from compilelint.torchfacts.store import DATA
from compilelint.torchfacts.verdict import Verdict

_PREFIXES = ("", "set:", "with:", "with-object:", "layer:", "syntax:")

_SHORT = (("Tensor.", "torch.Tensor."), ("F.", "torch.nn.functional."), ("nn.", "torch.nn."), ("np.", "numpy."))


@dataclass(frozen=True, slots=True)
class Row:
    """One key over the versions, oldest first; None where nothing is known of it in a version.

    `assumed_in` are the versions that took the verdict over from another one, `by_rule_in` those that never measured
    the key and whose trace rules say.
    """

    key: str
    verdicts: tuple[tuple[str, Verdict | None], ...]
    assumed_in: frozenset[str] = frozenset()
    by_rule_in: frozenset[str] = frozenset()


class Change(str, enum.Enum):
    """What happened to a key between two versions, what matters most first."""

    BREAKS = "breaks now"
    WORKS = "works now"
    BREAKS_FULLGRAPH = "breaks under fullgraph now"
    WORKS_FULLGRAPH = "works under fullgraph now"
    FRAME = "skips the frame otherwise"
    ERROR = "raises otherwise"
    CURE = "cured by other flags"
    REASON = "another reason"
    ID = "another id"
    NEW = "new name"
    GONE = "name gone"


@dataclass(frozen=True, slots=True)
class Difference:
    """One key whose verdict differs between two versions."""

    key: str
    change: Change
    before: Verdict | None
    after: Verdict | None


def facts_row(name: str, data: Path = DATA) -> list[Row]:
    """All keys that speak of `name` (its call, its forms, its attribute write, its context manager, its layer).

    The usual short forms (`Tensor.item`, `F.relu`, `nn.LSTM`, `np.sum`) count as the names they stand for; a bare tail
    such as `item` finds nothing (see `nearest_names`). A name that no table has may be an operation on an object
    (`array.array.append`, `decimal.Decimal.str`). Empty where no version knows it.
    """
    tables = [load(version, data) for version in available(data)]
    spellings = [name, *(full + name.removeprefix(short) for short, full in _SHORT if name.startswith(short))]
    for spelling in spellings:
        other = other_spelling(spelling)
        rows = _rows(spelling, tables) or (_rows(other, tables) if other else [])
        if rows:
            return rows
    return _kind_rows(name, tables)


def _kind_rows(name: str, tables: list[TorchFacts]) -> list[Row]:
    """The rows of `KIND.OPERATION` (`array.array.append`, `decimal.Decimal.str`), by where the object was made."""
    kind, _, operation = name.rpartition(".")
    rows = []
    for spelling in (f".{operation}()", f".{operation}", operation):
        for where, inside in ((OUTSIDE, False), (INSIDE, True)):
            found = {facts.version: facts.on_kind(kind, spelling, inside=inside) for facts in tables}
            if any(found.values()):
                key = f"{kind}{'' if spelling.startswith('.') else ' '}{spelling}, made {where}"
                verdicts = ((one, None if fact is None else fact.verdict) for one, fact in found.items())
                rows.append(Row(key, tuple(verdicts)))
    return rows


def nearest_names(name: str, data: Path = DATA, most: int = 5) -> list[str]:
    """Names that some table has and that resemble `name`: those with the same last part first, then alike ones."""
    names = known_names(data)
    tail = name.rpartition(".")[2]
    by_tail: dict[str, list[str]] = {}
    for one in sorted(names, key=lambda one: (one.count("."), one)):
        by_tail.setdefault(one.rpartition(".")[2], []).append(one)
    same = by_tail.get(tail, [])
    import difflib

    alike = difflib.get_close_matches(name, names, n=most, cutoff=0.7)
    tails = [one for near in difflib.get_close_matches(tail, by_tail, n=2, cutoff=0.75) for one in by_tail[near]]
    return list(dict.fromkeys([*same, *alike, *tails]))[:most]


def known_names(data: Path = DATA) -> set[str]:
    """Every name that some table speaks of."""
    return {_name_of(key) for version in available(data) for key in load(version, data).all_keys()}


def _name_of(key: str) -> str:
    return next((key.removeprefix(prefix) for prefix in _PREFIXES[1:] if key.startswith(prefix)), key).partition("|")[0]


def _rows(name: str, tables: list[TorchFacts]) -> list[Row]:
    wanted = {prefix + name for prefix in _PREFIXES}
    known = {key for facts in tables for key in facts.all_keys()}
    keys = sorted(key for key in known if key in wanted or key.partition("|")[0] in wanted)
    return [_row(key, tables) for key in keys]


def _row(key: str, tables: list[TorchFacts]) -> Row:
    verdicts = {facts.version: facts.verdict(key) for facts in tables}
    by_rule = {
        facts.version: fact.verdict
        for facts in tables
        if verdicts[facts.version] is None and ":" not in key and (fact := facts.callable(key)) is not None
    }
    assumed = frozenset(facts.version for facts in tables if facts.is_assumed(key))
    return Row(key, tuple({**verdicts, **by_rule}.items()), assumed, frozenset(by_rule))


def facts_diff(before: str, after: str, data: Path = DATA) -> list[Difference]:
    """What differs between the tables of two versions, by kind of change and then by key.

    Keys that one of the two only assumes are left out: they say nothing of what changed. Raises FactsError as `load`.
    """
    old, new = load(before, data), load(after, data)
    found = []
    for key in sorted({*old.all_keys(), *new.all_keys()}):
        if old.is_assumed(key) or new.is_assumed(key):
            continue
        first, second = old.verdict(key), new.verdict(key)
        if first != second:
            found.append(Difference(key, _change(first, second), first, second))
    order = list(Change)
    return sorted(found, key=lambda difference: order.index(difference.change))


def _change(before: Verdict | None, after: Verdict | None) -> Change:
    if before is None or after is None:
        return Change.NEW if before is None else Change.GONE
    if before.breaks != after.breaks:
        return Change.BREAKS if after.breaks else Change.WORKS
    if before.breaks_fullgraph != after.breaks_fullgraph:
        return Change.BREAKS_FULLGRAPH if after.breaks_fullgraph else Change.WORKS_FULLGRAPH
    if before.skips_frame != after.skips_frame:
        return Change.FRAME
    if before.raises != after.raises:
        return Change.ERROR
    if before.cured_by != after.cured_by:
        return Change.CURE
    return Change.REASON if before.reason is not after.reason else Change.ID
