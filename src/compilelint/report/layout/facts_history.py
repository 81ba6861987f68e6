"""Reports on the fact tables themselves: a name over the torch versions, what an upgrade changes, one graph-break id.

Each has a text for people and an object for `--output json`. Nothing here prints.
"""

from __future__ import annotations

import io
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from rich.console import Console
from rich.text import Text

from compilelint.model import Finding, Rule
from compilelint.model.patterns import late_pattern
from compilelint.report.layout.text import escaped, shown_path
from compilelint.torchfacts import Change, Difference, GraphBreakEntry, Reach, Row, Verdict

_OTHER_CLASS = (
    Change.BREAKS,
    Change.WORKS,
    Change.BREAKS_FULLGRAPH,
    Change.WORKS_FULLGRAPH,
    Change.FRAME,
    Change.ERROR,
    Change.CURE,
)
"""The changes that a user's program feels; a new reason or id for the same outcome is none."""

_COLORS = {True: "red", False: "green"}
_KINDS = {
    "set": "writing this attribute",
    "with": "as a context manager",
    "with-object": "as a context manager that was made outside",
    "layer": "calling an instance",
    "syntax": "language construct",
}


def _page(lines: Iterable[Text], color: bool) -> str:
    out = io.StringIO()
    console = Console(
        file=out, force_terminal=color, no_color=not color, color_system="standard", markup=False, emoji=False, width=80
    )
    for line in lines:
        console.print(line, soft_wrap=True)
    return out.getvalue()


def _json(document: dict[str, Any]) -> str:
    return json.dumps({"schema_version": 1, **document}, indent=1) + "\n"


# ---------------------------------------------------------------------- words


def verdict_words(verdict: Verdict | None) -> str:
    """A verdict in words: what the default mode does, and `fullgraph=True` where that differs."""
    if verdict is None:
        return "unknown"
    if not verdict.breaks:
        return "traces, but not under fullgraph" if verdict.breaks_fullgraph else "traces"
    does = "skips the frame" if verdict.skips_frame else "fails to compile" if verdict.raises else "breaks"
    assert verdict.reason is not None
    words = f"{does}: {verdict.reason.value}" + (f", {verdict.gb_id}" if verdict.gb_id else "")
    if not verdict.breaks_fullgraph:
        words += "; traces under fullgraph"
    if verdict.cured_by:
        words += f"; traces with {' and '.join(sorted(flag.value for flag in verdict.cured_by))}"
    return words


def name_of(key: str) -> str:
    """A table's key in words: `with:torch.device` is `torch.device as a context manager`."""
    prefix, colon, rest = key.partition(":")
    kind = _KINDS.get(prefix) if colon else None
    name, _, form = (rest if kind else key).partition("|")
    return name + (f", {kind}" if kind else "") + (f", form {form!r}" if form else "")


def _span(versions: Sequence[str]) -> str:
    return versions[0] if len(versions) == 1 else f"{versions[0]} to {versions[-1]}"


def _as_object(verdict: Verdict | None) -> dict[str, Any] | None:
    if verdict is None:
        return None
    return {
        "breaks": verdict.breaks,
        "breaks_fullgraph": verdict.breaks_fullgraph,
        "skips_frame": verdict.skips_frame,
        "raises": verdict.raises,
        "reason": verdict.reason.value if verdict.reason else None,
        "break_id": verdict.gb_id,
        "cured_by": sorted(flag.value for flag in verdict.cured_by),
    }


# ----------------------------------------------------------------- facts show


def row_page(rows: Sequence[Row], color: bool) -> str:
    """Each key of a name with its verdict over the versions; versions in a row that agree share a line."""
    return _page(_row_lines(rows), color)


def _row_lines(rows: Sequence[Row]) -> Iterator[Text]:
    for number, row in enumerate(rows):
        if number:
            yield Text()
        yield Text(escaped(name_of(row.key)), style="bold")
        spans = [
            (_span([version for version, _ in group]), verdict, behind)
            for (verdict, behind), pairs in groupby(row.verdicts, key=lambda pair: (pair[1], _grounds(row, pair[0])))
            for group in [list(pairs)]
        ]
        width = max(len(span) for span, _, _ in spans)
        for span, verdict, behind in spans:
            style = "dim" if verdict is None else _COLORS[verdict.breaks]
            yield Text.assemble(f"  {span:<{width}}  ", Text(verdict_words(verdict), style=style), behind)


def _grounds(row: Row, version: str) -> str:
    """What a verdict rests on where the version itself was not asked."""
    if version in row.by_rule_in:
        return " (by torch's trace rules, not measured)"
    return " (assumed from another version)" if version in row.assumed_in else ""


def row_json(name: str, rows: Sequence[Row]) -> str:
    """The same for programs: every key with its verdict in every version, null where the table has none."""
    return _json(
        {
            "name": name,
            "rows": [
                {
                    "key": row.key,
                    "versions": {version: _as_object(verdict) for version, verdict in row.verdicts},
                    "assumed_in": sorted(row.assumed_in),
                    "by_rule_in": sorted(row.by_rule_in),
                }
                for row in rows
            ],
        }
    )


# ----------------------------------------------------------------- facts diff


def diff_page(before: str, after: str, found: Sequence[Difference], color: bool) -> str:
    """The names that change class between two versions, by kind of change; the other changes are counted."""
    return _page(_diff_lines(before, after, found), color)


def _diff_lines(before: str, after: str, found: Sequence[Difference]) -> Iterator[Text]:
    shown = [one for one in found if one.change in _OTHER_CLASS]
    for change, differences in groupby(shown, key=lambda one: one.change):
        group = list(differences)
        yield Text(f"{change.value} ({len(group)})", style="bold")
        for one in group:
            name = Text(f"  {escaped(name_of(one.key))}", style=_COLORS[one.after is not None and one.after.breaks])
            yield Text.assemble(name, f"  {verdict_words(one.before)} -> {verdict_words(one.after)}")
        yield Text()
    rest = Counter(one.change for one in found if one.change not in _OTHER_CLASS)
    others = ", ".join(f"{rest[change]} {change.value}" for change in Change if rest[change])
    yield Text(
        f"{len(shown)} names change class from torch {before} to {after}"
        + (f" (besides: {others})." if others else ".")
    )


def diff_json(before: str, after: str, found: Sequence[Difference]) -> str:
    """All differences for programs."""
    return _json(
        {
            "before": before,
            "after": after,
            "differences": [
                {
                    "key": one.key,
                    "change": one.change.value,
                    "before": _as_object(one.before),
                    "after": _as_object(one.after),
                }
                for one in found
            ],
        }
    )


# -------------------------------------------------------------------- upgrade


@dataclass(frozen=True, slots=True)
class Upgrade:
    """What the user's code gains and loses between two torch versions; findings are sorted by place."""

    before: str
    after: str
    removed: tuple[Finding, ...]
    added: tuple[Finding, ...]
    kept: int

    @classmethod
    def between(cls, before: str, after: str, old: Sequence[Finding], new: Sequence[Finding]) -> Upgrade:
        """Compare two reports on the same files: a finding is the same where rule and place are."""
        old_places, new_places = ({(one.rule.code, one.location) for one in found} for found in (old, new))
        removed = tuple(one for one in old if (one.rule.code, one.location) not in new_places)
        added = tuple(one for one in new if (one.rule.code, one.location) not in old_places)
        return cls(before, after, removed, added, len(new) - len(added))


def upgrade_page(upgrade: Upgrade, color: bool) -> str:
    """Findings that the upgrade adds, then those it removes, a line each."""
    return _page(_upgrade_lines(upgrade), color)


def _upgrade_lines(upgrade: Upgrade) -> Iterator[Text]:
    for sign, style, found in (("+", "red", upgrade.added), ("-", "green", upgrade.removed)):
        for one in found:
            span = one.location.span
            place = f"{shown_path(one.location.path)}:{span.line}:{span.column}"
            head = Text(f"{sign} {place}: {one.rule.code}", style=style)
            ids = f" ({', '.join(one.break_ids)})" if one.break_ids else ""
            yield Text.assemble(head, f" {escaped(one.message)}{ids}")
    yield Text(
        f"torch {upgrade.before} -> {upgrade.after}: {len(upgrade.added)} findings added, {len(upgrade.removed)} gone, "
        f"{upgrade.kept} unchanged."
    )


def upgrade_json(upgrade: Upgrade) -> str:
    """The same for programs."""
    return _json(
        {
            "before": upgrade.before,
            "after": upgrade.after,
            "added": [_finding(one) for one in upgrade.added],
            "removed": [_finding(one) for one in upgrade.removed],
            "kept": upgrade.kept,
        }
    )


def _finding(finding: Finding) -> dict[str, Any]:
    return {
        "rule": finding.rule.code,
        "message": finding.message,
        "severity": finding.severity.label,
        "confidence": finding.confidence.label,
        "path": finding.location.path,
        **finding.location.span._asdict(),
        "break_ids": list(finding.break_ids),
    }


# ----------------------------------------------------------------- rule GBxxxx

_SEAM = late_pattern(r'"\s*\+?\s*f?"')
_REST = late_pattern(r'"\s*\+ \w+$')


def _prose(words: str) -> str:
    """torch's words as a sentence: the registry keeps the source of some, quotes and `+` between pieces included."""
    return _REST.sub("", _SEAM.sub("", words)).strip('"').rstrip()


def break_page(
    entry: GraphBreakEntry, version: str, rules: Sequence[Rule], color: bool, reach: Reach | None = None
) -> str:
    """A graph-break id in torch's own words, our rules that speak of it, and how much of it is found."""
    return _page((*_break_lines(entry, version, rules), *_reach_lines(reach)), color)


def _break_lines(entry: GraphBreakEntry, version: str, rules: Sequence[Rule]) -> Iterator[Text]:
    retired = "" if entry.live else " (nothing in this version raises it any more)"
    yield Text(f"{entry.gb_id} {entry.type}", style="bold")
    yield Text(f"torch {version}{retired}; reason here: {entry.reason.value}")
    for line in (entry.explanation, *(f"  - {hint}" for hint in entry.hints)):
        if line:
            yield Text(_prose(line))
    yield Text()
    if not rules:
        yield Text("No rule finds it.")
    for rule in rules:
        yield Text.assemble(Text(f"{rule.code}  {rule.name:<28}", style="cyan"), f" {rule.summary}")


_REACHED = {
    "yes": "User code reaches it with torch's defaults.",
    "setting": "User code reaches it only under a setting, a device or a build of torch.",
    "no": "No user code reaches it.",
}


def _reach_lines(reach: Reach | None) -> Iterator[Text]:
    if reach is None:
        return
    yield Text()
    yield Text(_REACHED[reach.reachable])
    for release, (shown, found) in reach.found.items():
        if shown:
            programs = "program that ends" if shown == 1 else "programs that end"
            reported = f"{found} of {shown} recorded {programs} with it reported"
            yield Text(f"torch {release}: {reported}, with the caller in the text.")


def break_json(entry: GraphBreakEntry, version: str, rules: Sequence[Rule], reach: Reach | None = None) -> str:
    """The same for programs."""
    return _json(
        {
            "break_id": entry.gb_id,
            "torch": version,
            "type": entry.type,
            "live": entry.live,
            "reason": entry.reason.value,
            "explanation": entry.explanation,
            "hints": list(entry.hints),
            "rules": [{"code": rule.code, "name": rule.name, "summary": rule.summary} for rule in rules],
            "reachable": None if reach is None else reach.reachable,
            "programs": {}
            if reach is None
            else {release: {"recorded": shown, "found": found} for release, (shown, found) in reach.found.items()},
        }
    )


def rules_json(rules: Sequence[Rule], pages: Mapping[str, str] | None = None) -> str:
    """Rules for programs, with their pages (Markdown, by code) where those are asked for."""
    return _json(
        {
            "rules": [
                {
                    "code": rule.code,
                    "name": rule.name,
                    "summary": rule.summary,
                    "effects": [effect.value for effect in rule.effects],
                    "reasons": list(rule.breaks),
                    **({} if pages is None else {"page": pages[rule.code]}),
                }
                for rule in rules
            ]
        }
    )
