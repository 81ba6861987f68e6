"""GitHub's workflow commands: an annotation a finding, beside the line in the pull request.

Everything from outside is first made visible (`report.layout.text`), then escaped as the format wants it.
"""

from __future__ import annotations

from compilelint.model import Finding, Severity, Span
from compilelint.report.layout.grouping import weight
from compilelint.report.layout.judged import judged_words
from compilelint.report.layout.paths import Files, Places
from compilelint.report.layout.spoken_lines import spoken_lines
from compilelint.report.layout.text import counted, escaped
from compilelint.report.report import Report

_COMMANDS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.NOTE: "notice"}
_SHOWN_BY_GITHUB = 10
"""Annotations of one kind in one step; the rest stays in the log."""


def render(report: Report) -> str:
    """A workflow command for each finding, worst first, and a last line that counts them."""
    places = Places(report.base)
    files = Files(report.unsaved)
    ordered = sorted(report.findings, key=weight)
    lines = [_annotation(one, places, files.span(one.location)) for one in ordered]
    return "".join(f"{line}\n" for line in (*lines, _headline(report), *_judged(report, places)))


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
    hidden = any(count > _SHOWN_BY_GITHUB for count in counts.values())
    more = f"; GitHub shows {_SHOWN_BY_GITHUB} annotations of a kind" if hidden else ""
    return f"compilelint: {listed} in {counted(report.files_checked, 'file')}{more}"
