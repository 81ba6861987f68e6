"""GitLab's Code Quality artifact: one JSON object a finding."""

from __future__ import annotations

import json

from compilelint.model import Finding, Severity, Span
from compilelint.report.formats.markdown import worded
from compilelint.report.layout.fingerprints import fingerprints
from compilelint.report.layout.paths import Files, Places
from compilelint.report.layout.text import escaped, json_text
from compilelint.report.report import Report

_GITLAB = {Severity.ERROR: "critical", Severity.WARNING: "major", Severity.NOTE: "minor"}


def render(report: Report) -> str:
    """The Code Quality artifact: a JSON array, every entry with a fingerprint of its own."""
    places, files = Places(report.base), Files(report.unsaved)
    entries = [
        {
            "description": _description(finding),
            "content": {"body": _content(finding)},
            "check_name": finding.rule.name,
            "fingerprint": mark,
            "severity": _GITLAB[finding.severity],
            "location": {
                "path": escaped(places.relative(finding.location.path)),
                "lines": _line_range(files.span(finding.location)),
            },
        }
        for finding, mark in zip(report.findings, fingerprints(report), strict=True)
    ]
    return json_text(json.dumps(entries, indent=1)) + "\n"


def _description(finding: Finding) -> str:
    """What is found, why it matters, how sure it is and what to do, on one line: GitLab shows nothing else."""
    parts = [f"{finding.rule.code}: {escaped(finding.message)}"]
    parts += [" ".join(map(escaped, finding.why.splitlines()))] if finding.why else []
    parts += [f"Confidence: {finding.confidence.explained}"] if finding.confidence.doubts else []
    parts += ["Help: " + " ".join(map(escaped, finding.help.splitlines()))] if finding.help else []
    return " ".join(part if part.endswith((".", "!", "?")) else f"{part}." for part in parts)


def _content(finding: Finding) -> str:
    """The same in Markdown, a paragraph each, for what shows `content`; text from linted files is code there."""
    parts = [worded(finding.why)] if finding.why else []
    parts += [f"Confidence: {worded(finding.confidence.explained)}."] if finding.confidence.doubts else []
    parts += [f"Help: {worded(finding.help)}"] if finding.help else []
    parts += [f"`compilelint rule {finding.rule.code}` prints the rule's page."]
    return "\n\n".join(parts)


def _line_range(span: Span) -> dict[str, int]:
    return {"begin": span.line, "end": span.end_line}
