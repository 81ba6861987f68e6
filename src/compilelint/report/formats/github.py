"""GitHub's workflow commands: the ten findings to act on first as annotations beside their lines in the pull request,
the others as lines of the log.

Everything from outside is first made visible (`report.layout.text`), then escaped as the format wants it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from compilelint.model import Finding, Severity, Span
from compilelint.report.layout.grouping import weight
from compilelint.report.layout.judged import judged_words
from compilelint.report.layout.paths import Files, Places
from compilelint.report.layout.spoken_lines import spoken_lines
from compilelint.report.layout.text import counted, escaped, spoken
from compilelint.report.overview.measured import Measured
from compilelint.report.overview.overview import overview
from compilelint.report.report import Report

_COMMANDS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.NOTE: "notice"}
_MOST = 10
"""Annotations that GitHub shows of one kind in one step; more than that on one pull request are not read either."""


def render(report: Report) -> str:
    """A workflow command for each of the first findings, a folded line for each other, and a line that counts them."""
    places = Places(report.base)
    files = Files(report.unsaved)
    ordered = _by_rank(report)
    lines = [_annotation(one, places, files.span(one.location)) for one in ordered[:_MOST]]
    lines += _folded(ordered[_MOST:], places)
    return "".join(f"{line}\n" for line in (*lines, _headline(report), *_judged(report, places)))


def _by_rank(report: Report) -> list[Finding]:
    """What fails the job first, then by what the first screen says to do first; what it does not name comes last."""
    if len(report.findings) <= _MOST:
        return sorted(report.findings, key=weight)
    tasks = overview(report, None, report.min_confidence, Measured()).tasks
    ranks = {id(task.finding): rank for rank, task in enumerate(tasks)}
    last = len(ranks)
    return sorted(report.findings, key=lambda one: (-one.severity, ranks.get(id(one), last), weight(one)))


def _folded(findings: Iterable[Finding], places: Places) -> Iterator[str]:
    """The others in a group of the log that is closed at first."""
    lines = [
        f"compilelint: {escaped(places.relative(one.location.path))}{spoken(one.location)}: "
        f"{one.severity.label}[{one.rule.code}] {escaped(one.message)}"
        for one in findings
    ]
    if lines:
        yield f"::group::compilelint: {counted(len(lines), 'more finding')}"
        yield from lines
        yield "::endgroup::"


def _annotation(finding: Finding, places: Places, span: Span) -> str:
    fields: dict[str, str | int] = {
        "file": escaped(places.relative(finding.location.path)),
        "line": span.line,
        "endLine": span.end_line,
        "title": f"{finding.rule.code} {finding.rule.name}",
    }
    if span.line == span.end_line:  # GitHub refuses columns of a place that spans lines
        fields |= {"col": span.column, "endColumn": span.end_column}
    properties = ",".join(f"{key}={_property(str(value))}" for key, value in fields.items())
    return f"::{_COMMANDS[finding.severity]} {properties}::{_data(chr(10).join(spoken_lines(finding, places)))}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


def _judged(report: Report, places: Places) -> list[str]:
    """What was judged, plain like the headline; a call that is not resolved is a notice beside it."""
    return [f"compilelint: {head.lower()}: {body}" for head, body in judged_words(report, places)]


def _headline(report: Report) -> str:
    """One plain line; it starts with no `::`, so the runner shows it and does nothing."""
    counts = report.by_severity()
    listed = ", ".join(counted(count, severity.label) for severity, count in counts.items())
    found = len(report.findings)
    more = f"; the first {_MOST} are annotations, the other {found - _MOST:,} are above" if found > _MOST else ""
    return f"compilelint: {listed} in {counted(report.files_checked, 'file')}{more}"
