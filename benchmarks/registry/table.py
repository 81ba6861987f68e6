"""Every graph-break id of torch in a row: who can reach it, which programs show it, which of them the lint finds.

Joins four things: the registry of each torch version and whether its source still raises an id (the shipped data), what
was read of Dynamo's sources (`reach/`), what was recorded (`labels-*.jsonl`), and what the lint said of the recorded
lines (`predicted.json`). Loads no torch and runs no lint.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.registry.labels import FOLDER, LABELS, REACH, VERSIONS, Row, ids_of, read
from compilelint.checks import rulebook
from compilelint.torchfacts import load
from compilelint.torchfacts.registry import GraphBreakEntry, entries
from compilelint.torchfacts.store import DATA, SCHEMA

PAGE = FOLDER.with_suffix(".md")
PREDICTED = FOLDER / "predicted.json"
SHIPPED = DATA / "reach.json"
REACHABLE = ("yes", "no", "setting")
ENOUGH = (2, 1)  # programs that break, near misses
_CLEAN = ("clean", "recompile")
_WAYS = ("called", "predicted")

Labels = Mapping[str, Mapping[str, Row]]
"""The recorded rows by version and case."""


@dataclass(frozen=True, slots=True)
class Reach:
    """What is known of how user code comes to an id. `limit` says why reading the source cannot find it."""

    reachable: str
    how: str
    breaking: tuple[str, ...] = ()
    near: tuple[str, ...] = ()
    limit: str = ""


@dataclass(frozen=True, slots=True)
class Line:
    """One id of the table. By version, `shown` are the programs that end with it; `predicted` those found with every
    function a root, `called` those found with the caller in the text.
    """

    entry: GraphBreakEntry
    raised: tuple[str, ...]
    reach: Reach | None
    rules: tuple[str, ...]
    forms: int
    shown: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    predicted: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    called: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @property
    def complete(self) -> bool:
        """It has the programs that a reachable id must have."""
        count = len({case for cases in self.shown.values() for case in cases})
        return self.reach is not None and count >= ENOUGH[0] and len(self.reach.near) >= ENOUGH[1]


def reaches(folder: Path = REACH) -> dict[str, Reach]:
    """By id, what the files of the folder say. Raises ValueError where two files speak of one id."""
    found: dict[str, Reach] = {}
    for path in sorted(folder.glob("*.json")):
        for gb_id, one in json.loads(path.read_text(encoding="utf-8")).items():
            if gb_id in found:
                raise ValueError(f"{gb_id} stands in {path.name} and in a file before it: keep one of them")
            cases = one.get("cases", {})
            found[gb_id] = Reach(
                one["reachable"],
                one["how"],
                tuple(cases.get("break", ())),
                tuple(cases.get("near", ())),
                one.get("limit", ""),
            )
    return found


def labels() -> dict[str, dict[str, Row]]:
    """The recorded rows of both versions."""
    return {version: {row["case"]: row for row in read(FOLDER / LABELS.format(version))} for version in VERSIONS}


def predicted(way: str) -> dict[str, frozenset[str]]:
    """By version, `CASE ID` for each program whose recorded line the lint reported when it was last measured.

    `way` is `all` (every function a root) or `caller` (the caller in the text).
    """
    content = json.loads(PREDICTED.read_text(encoding="utf-8")) if PREDICTED.exists() else {}
    return {version: frozenset(content.get(way, {}).get(version, ())) for version in VERSIONS}


def lines() -> Iterator[Line]:
    """A line for each id that one of the versions has registered, in the order of ids."""
    registered = {version: entries(f"{version}.0") for version in VERSIONS}
    known, rows, forms = reaches(), labels(), _forms()
    found, called = predicted("all"), predicted("caller")
    book = rulebook().rules
    for gb_id in sorted({one for ids in registered.values() for one in ids}):
        entry = [registered[version][gb_id] for version in VERSIONS if gb_id in registered[version]][-1]
        raised = tuple(v for v in VERSIONS if gb_id in registered[v] and registered[v][gb_id].live)
        reach = known.get(gb_id)
        cases = reach.breaking if reach else ()
        shown = {v: tuple(c for c in cases if c in rows[v] and gb_id in ids_of(rows[v][c])) for v in VERSIONS}
        yield Line(
            entry,
            raised,
            reach,
            tuple(rule.code for rule in book if entry.reason.value in rule.breaks),
            forms[gb_id],
            shown,
            {v: tuple(c for c in shown[v] if f"{c} {gb_id}" in found[v]) for v in VERSIONS},
            {v: tuple(c for c in shown[v] if f"{c} {gb_id}" in called[v]) for v in VERSIONS},
        )


def _forms() -> Counter[str]:
    """By id: how many keys of the fact tables have a measured verdict that ends with it."""
    found: set[tuple[str, str]] = set()
    for version in VERSIONS:
        facts = load(f"{version}.0")
        for key in facts.all_keys():
            verdict = facts.verdict(key)
            if verdict is not None and verdict.gb_id and not facts.is_assumed(key):
                found.add((verdict.gb_id, key))
    return Counter(gb_id for gb_id, _ in found)


def problems() -> Iterator[str]:
    """Where `reach/` and the recorded labels disagree, in words."""
    rows = labels()
    registered = {gb_id for version in VERSIONS for gb_id in entries(f"{version}.0")}
    for gb_id, reach in reaches().items():
        if gb_id not in registered:
            yield f"{gb_id}: no version registers it"
        if reach.reachable not in REACHABLE:
            yield f"{gb_id}: reachable is {reach.reachable!r}, not one of {', '.join(REACHABLE)}"
        if not reach.how:
            yield f"{gb_id}: how it is known is not said"
        for case in (*reach.breaking, *reach.near):
            mine = [rows[version][case] for version in VERSIONS if case in rows[version]]
            if not mine:
                yield f"{gb_id}: {case} is not recorded"
            elif case in reach.breaking and not any(gb_id in ids_of(row) for row in mine):
                yield f"{gb_id}: {case} does not end with it"
            elif case in reach.near and not any(row["label"] in _CLEAN for row in mine):
                yield f"{gb_id}: {case} is no near miss, it is {mine[0]['label']}"


def page(table: Sequence[Line] | None = None) -> str:
    """The page: how many ids user code reaches, and how many of their programs are predicted."""
    table = list(lines()) if table is None else table
    return "\n".join(
        [
            "# The registry of graph breaks",
            "",
            "Made by `python -m benchmarks.registry --update`; `--ids` in its place prints a row for each id,",
            "`--missed` the programs that the lint does not find; `registry/README.md` says what they mean.",
            "",
            *_summary(table),
            "",
        ]
    )


def ids(table: Sequence[Line]) -> str:
    """A row for each id, in Markdown."""
    head = ["id", "torch's type", "raised in", "reachable", "rule", "forms", "programs", "near", *_WAYS, "how"]
    return "\n".join([f"| {' | '.join(head)} |", f"|{'---|' * len(head)}", *map(_row, table)])


def shipped(table: Sequence[Line]) -> str:
    """What `compilelint rule GBxxxx` reads of the table: by id how it is reached, and how many programs are found."""
    ids: dict[str, dict[str, dict[str, list[int]]]] = {way: {} for way in REACHABLE}
    for one in table:
        if one.reach is not None:
            counts = {v: [len(one.shown[v]), len(one.called[v])] for v in VERSIONS if one.shown[v]}
            ids[one.reach.reachable][one.entry.gb_id.removeprefix("GB")] = counts
    rows = ",\n".join(f'"{way}":{json.dumps(found, separators=(",", ":"))}' for way, found in ids.items())
    return f'{{"schema":{SCHEMA},"ids":{{\n{rows}\n}}}}\n'


def _summary(table: Sequence[Line]) -> Iterator[str]:
    live = [one for one in table if one.raised]
    ways = Counter(one.reach.reachable for one in live if one.reach)
    yield f"Of {len(table)} ids that torch {' or '.join(VERSIONS)} registers, the source of one of them still raises"
    yield f"{len(live)}: user code reaches {ways['yes']}, {ways['setting']} more only under a setting, {ways['no']} not"
    yield f"at all; {len(live) - ways.total()} are not settled. {sum(one.complete for one in live)} have two programs"
    yield "and a near miss, as every reachable id must."
    yield ""
    yield "| torch | linted | ids with a program | predicted in one form | programs | predicted |"
    yield "|---|---|---|---|---|---|"
    for version in VERSIONS:
        shown = [one for one in live if one.shown[version]]
        programs = sum(len(one.shown[version]) for one in shown)
        linted: dict[str, list[tuple[str, ...]]] = {"with the caller": [one.called[version] for one in shown]}
        linted["`--roots all`"] = [one.predicted[version] for one in shown]
        for way, hits in linted.items():
            once = _share(sum(map(bool, hits)), len(shown))
            cells = [version, way, len(shown), once, programs, _share(sum(map(len, hits)), programs)]
            yield f"| {' | '.join(map(str, cells))} |"


def _share(part: int, whole: int) -> str:
    return f"{part} ({part / whole:.0%})" if whole else str(part)


def _row(one: Line) -> str:
    reach = one.reach
    programs = max(len(one.shown[version]) for version in VERSIONS)
    cells = (
        one.entry.gb_id,
        _escaped(one.entry.type),
        ", ".join(one.raised) or "no more",
        reach.reachable if reach else "not settled" if one.raised else "",
        ", ".join(one.rules),
        one.forms or "",
        programs or "",
        len(reach.near) if reach and reach.near else "",
        _of(one, one.called),
        _of(one, one.predicted),
        _escaped(f"{reach.how} {reach.limit}".strip()) if reach else "",
    )
    return f"| {' | '.join(map(str, cells))} |"


def _of(one: Line, found: Mapping[str, tuple[str, ...]]) -> str:
    return ", ".join(f"{len(found[v])} of {len(one.shown[v])}" for v in VERSIONS if one.shown[v])


def _escaped(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")
