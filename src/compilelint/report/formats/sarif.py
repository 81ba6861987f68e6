"""SARIF 2.1.0 as GitHub code scanning wants it: one run, places within the repository, alerts that are found again.

Import this module only where SARIF is asked for: sarif-om costs 0.13 s. What code scanning does with the file, and its
limits: docs.github.com, "SARIF support for code scanning" and "SARIF results exceed one or more limits".
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from sarif_om import (
    ArtifactChange,
    ArtifactContent,
    ArtifactLocation,
    CodeFlow,
    Fix,
    Invocation,
    Location,
    LogicalLocation,
    Message,
    Notification,
    PhysicalLocation,
    Region,
    Replacement,
    ReportingDescriptorReference,
    Result,
    Run,
    SarifLog,
    ThreadFlow,
    ThreadFlowLocation,
    Tool,
    ToolComponent,
)

from compilelint import __version__, model
from compilelint.model import Effect, Finding, Span
from compilelint.model.patterns import late_pattern
from compilelint.model.site import SITE
from compilelint.report.layout.fingerprints import fingerprints
from compilelint.report.layout.judged import judged_data, judged_text
from compilelint.report.layout.linehash import line_hashes
from compilelint.report.layout.paths import Files, Places
from compilelint.report.layout.sarif_objects import as_json
from compilelint.report.layout.sarif_rules import rule_descriptors, sentence
from compilelint.report.layout.text import escaped, json_text, witnessed
from compilelint.report.report import Report
from compilelint.rulebook import pages_of

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_ROOT = "%SRCROOT%"
_PACKAGES = "PACKAGES"

# What an installed library is called on every machine, where its file is not: `file:///home/me/env` names a runner.
_IN_PACKAGES = late_pattern(r".*/(?:site-packages|dist-packages|lib/python3\.\d+)/(.+)")

MOST_RESULTS = 25_000
MOST_BYTES = 10_000_000
"""Of the gzipped file."""
_MOST_PLACES = 100  # a thousand are allowed, a hundred shown
_MOST_CHARACTERS = 4_000


def render(report: Report) -> str:
    """The log, worst results first; where there are more than code scanning takes, the least severe are left out."""
    keep = MOST_RESULTS
    while True:
        text = json_text(json.dumps(_log(report, keep), separators=(",", ":"))) + "\n"
        if len(text) <= MOST_BYTES or len(gzip.compress(text.encode(), 6)) <= MOST_BYTES:
            return text
        keep = min(keep, len(report.findings)) * 3 // 4


def _log(report: Report, keep: int) -> dict[str, Any]:
    scribe = _Scribe(report)
    alerts = sorted(_alerts(report), key=lambda alert: -alert.first.severity)
    results = [scribe.result(alert) for alert in alerts[:keep]]
    notes = [*_notes(report), *_cut_short(len(alerts), keep)]
    driver = ToolComponent(
        name="compilelint",
        semantic_version=__version__,
        version=__version__,
        information_uri=SITE or None,
        rules=rule_descriptors(scribe.rules, pages_of(scribe.rules)),
    )
    run = Run(
        tool=Tool(driver=driver),
        column_kind="unicodeCodePoints",
        # Neither has a `uri`: the same report on every machine, and code scanning knows where the repository is.
        original_uri_base_ids={
            _ROOT: ArtifactLocation(description=Message(text="The root folder of the repository.")),
            _PACKAGES: ArtifactLocation(description=Message(text="The folder of installed packages.")),
        },
        invocations=[
            Invocation(
                # Never false: code scanning refuses the whole file then.
                execution_successful=True,
                tool_execution_notifications=[scribe.notification(note) for note in notes] or None,
            )
        ],
        results=results,
        properties={"judged": _counts(report)},
    )
    written: dict[str, Any] = as_json(SarifLog(schema_uri=SCHEMA, version="2.1.0", runs=[run]))
    return written


def _counts(report: Report) -> dict[str, Any]:
    """What was judged, in numbers; the places are notifications, which code scanning shows."""
    data = judged_data(report)
    calls = data["compile_calls"]
    return {
        **data,
        "compile_calls": {**calls, "unresolved": len(calls["unresolved"])},
        "not_judged": len(data["not_judged"]),
    }


# --------------------------------------------------------------------- alerts


@dataclass(slots=True)
class _Alert:
    """All findings of one rule on one line, which code scanning shows as one; `mark` is that of the worst, `first`."""

    first: Finding
    mark: str
    others: list[Finding]


def _alerts(report: Report) -> Iterable[_Alert]:
    found: dict[tuple[str, str, int | None, int], _Alert] = {}
    for finding, mark in zip(report.findings, fingerprints(report), strict=True):
        location = finding.location
        key = (finding.rule.code, location.path, location.cell, location.span.line)
        alert = found.get(key)
        if alert is None:
            found[key] = _Alert(finding, mark, [])
        elif finding.severity > alert.first.severity:
            alert.others.insert(0, alert.first)
            alert.first, alert.mark = finding, mark
        else:
            alert.others.append(finding)
    return found.values()


# ---------------------------------------------------------------------- notes


@dataclass(frozen=True, slots=True)
class _Note:
    """Something about the run: what could not be analysed, what was assumed."""

    kind: str
    level: str
    text: str
    location: model.Location | None = None


_MISSED = frozenset({"compile-call", "defect", "export", "timeout", "roots", "no-roots"})
"""Kinds of notice that say what was not judged."""


def _notes(report: Report) -> Iterator[_Note]:
    for notice in report.notices:
        line = notice.line or 1
        place = model.Location(notice.path, Span(line, 1, line, 1), notice.cell) if notice.path else None
        yield _Note(notice.kind, "warning" if notice.kind in _MISSED else "note", notice.text, place)
    if words := judged_text(report, Places(report.base)):
        yield _Note("judged", "note", words)
    for finding in report.findings:
        if finding.effect is Effect.TOOL and finding.severity is model.Severity.ERROR:
            yield _Note(finding.rule.name, "warning", finding.message, finding.location)


def _cut_short(found: int, keep: int) -> Iterator[_Note]:
    if found > keep:
        text = f"{found - keep} of {found} results are left out, the least severe, to stay within GitHub's limits"
        yield _Note("results-left-out", "warning", text)


# -------------------------------------------------------------------- writing


class _Scribe:
    """Turns what the report holds into sarif-om's objects."""

    def __init__(self, report: Report) -> None:
        every = {one.rule.code: one.rule for one in report.findings}
        self.rules = [every[code] for code in sorted(every)]
        self._index = {rule.code: number for number, rule in enumerate(self.rules)}
        self._places = Places(report.base)
        self._files = Files(report.unsaved)
        self._span = self._files.span
        self._hashes: dict[str, dict[int, str]] = {}
        self._lines: dict[str, set[int]] = {}
        for finding in report.findings:
            self._lines.setdefault(finding.location.path, set()).add(self._span(finding.location).line)

    def result(self, alert: _Alert) -> Result:
        """One alert."""
        first = alert.first
        story = _Story(first, alert.others)
        return Result(
            rule_id=first.rule.code,
            rule_index=self._index[first.rule.code],
            level=first.severity.label,
            message=Message(text=story.text()),
            locations=[self.location(first.location, function=first.function)],
            related_locations=[
                self.location(place, text=text, number=number) for number, (place, text) in story.places.items()
            ]
            or None,
            code_flows=[self._flow(first)] if first.call_chain else None,
            fixes=list(self._fixes([first, *alert.others])) or None,
            partial_fingerprints={**self._line_hash(first.location), "compilelint/v1": alert.mark},
            properties=_properties(first),
        )

    def location(
        self, place: model.Location, *, text: str = "", number: int = -1, function: str = "", region: bool = True
    ) -> Location:
        """A place, with what is said about it and the number by which messages link to it."""
        return Location(
            id=number,
            physical_location=PhysicalLocation(
                artifact_location=self._artifact(place.path), region=_region(self._span(place)) if region else None
            ),
            logical_locations=list(_logical(place, function)) or None,
            message=Message(text=text) if text else None,
        )

    def notification(self, note: _Note) -> Notification:
        """One note."""
        place = note.location
        return Notification(
            level=note.level,
            message=Message(text=_unlinked(sentence(escaped(note.text)))),
            descriptor=ReportingDescriptorReference(id=note.kind),
            locations=[self.location(place, region=note.level != "note")] if place else None,
        )

    def _artifact(self, path: str) -> ArtifactLocation:
        uri = self._places.uri(path)
        if not uri.startswith("file://"):
            return ArtifactLocation(uri=uri, uri_base_id=_ROOT)
        packaged = _IN_PACKAGES.match(uri)
        return ArtifactLocation(uri=packaged[1], uri_base_id=_PACKAGES) if packaged else ArtifactLocation(uri=uri)

    def _flow(self, finding: Finding) -> CodeFlow:
        """The way from the root to the finding, a step a call."""
        sites = finding.call_chain[-_MOST_PLACES:]
        steps = [
            ThreadFlowLocation(
                location=self.location(site.location, text=_cut(f"called in {escaped(site.function)}")),
                nesting_level=level,
            )
            for level, site in enumerate(sites)
        ]
        end = self.location(finding.location, text=_cut(_unlinked(escaped(finding.message))))
        steps.append(ThreadFlowLocation(location=end, nesting_level=len(sites)))
        return CodeFlow(thread_flows=[ThreadFlow(locations=steps)])

    def _fixes(self, findings: Iterable[Finding]) -> Iterator[Fix]:
        for finding in findings:
            fix = finding.fix
            # One fix without changes, and GitHub refuses the whole file; a notebook's lines are no lines of the file.
            if fix is None or not fix.edits or finding.location.cell is not None:
                continue
            changes = [
                ArtifactChange(
                    artifact_location=self._artifact(path),
                    replacements=[
                        Replacement(deleted_region=_region(edit.span), inserted_content=ArtifactContent(text=edit.text))
                        for edit in edits
                    ],
                )
                for path, edits in fix.by_file(finding.location.path).items()
            ]
            yield Fix(
                description=Message(text=sentence(f"{escaped(fix.title)} ({fix.safety.value})")),
                artifact_changes=changes,
            )

    def _line_hash(self, location: model.Location) -> dict[str, str]:
        path = location.path
        if path not in self._hashes:
            text = self._files.text(path)
            self._hashes[path] = {} if text is None else line_hashes(text, self._lines[path])
        found = self._hashes[path].get(self._span(location).line)
        return {"primaryLocationLineHash": found} if found else {}


def _logical(place: model.Location, function: str) -> Iterator[LogicalLocation]:
    """The function around a place, and in a notebook the cell."""
    if function:
        yield LogicalLocation(fully_qualified_name=escaped(function), kind="function")
    if place.cell is not None:
        yield LogicalLocation(name=f"cell {place.cell}", kind="module")


class _Story:
    """What is said about an alert, with a number for each place that the text links to."""

    def __init__(self, first: Finding, others: Sequence[Finding]) -> None:
        self._first = first
        self.places: dict[int, tuple[model.Location, str]] = {}
        self._because = [self._link(one.location, one.text) for one in first.related]
        self._calls = [self._link(site.location, f"called in {site.function}") for site in first.call_chain]
        self._again = [self._link(one.location, f"column {one.location.span.column}") for one in others]
        self._cell = f"In cell {first.location.cell}, line {first.location.span.line}."

    def _link(self, location: model.Location, text: str) -> str:
        """The Markdown that leads to a place; empty past the limit."""
        if len(self.places) >= _MOST_PLACES:
            return ""
        shown = _cut(escaped(text))
        number = len(self.places) + 1
        self.places[number] = (location, shown)
        return f"[{_literal(shown)}]({number})"

    def text(self) -> str:
        first = self._first
        sentences = [sentence(_cut(_unlinked(escaped(one)))) for one in (first.message, *first.why.splitlines()) if one]
        if first.confidence.doubts:
            sentences.append(f"Confidence: {first.confidence.explained}.")
        if seen := witnessed(first):
            sentences.append(sentence(_cut(_unlinked(seen))))
        for word, links in (("Because", self._because), ("Reached", self._calls), ("The same at", self._again)):
            linked = [link for link in links if link]
            if linked:
                more = f" and {len(links) - len(linked)} more" if len(links) > len(linked) else ""
                sentences.append(f"{word}: {', '.join(linked)}{more}.")
        return " ".join(sentences if first.location.cell is None else [*sentences, self._cell])


def _properties(finding: Finding) -> dict[str, Any]:
    """What SARIF has no place for. Only what is there."""
    found = {
        "confidence": finding.confidence.label,
        "doubts": [{"name": doubt.label, "why": doubt.why} for doubt in finding.confidence.doubts],
        "effects": [effect.value for effect in finding.effects],
        "breakIds": list(finding.break_ids),
        "roots": [escaped(root) for root in finding.roots[:_MOST_PLACES]],
        "torchVersions": list(finding.torch_versions),
        "verdict": finding.verdict.outcome.value if finding.verdict else "",
        "targets": [escaped(target) for target in finding.verdict.targets[:_MOST_PLACES]] if finding.verdict else [],
        "help": escaped(finding.help),
    }
    return {key: value for key, value in found.items() if value}


def _region(span: Span) -> Region:
    """All four fields, since columns that are left out mean the whole line."""
    return Region(start_line=span.line, start_column=span.column, end_line=span.end_line, end_column=span.end_column)


def _literal(text: str) -> str:
    """Text inside the brackets of a link."""
    return "".join(f"\\{character}" if character in "\\[]" else character for character in text)


def _unlinked(text: str) -> str:
    """Text outside of links: what looks like a link is none. Brackets alone stay as they are."""
    return _literal(text) if "](" in text else text


def _cut(text: str) -> str:
    return text if len(text) <= _MOST_CHARACTERS else text[: _MOST_CHARACTERS - 3] + "..."
