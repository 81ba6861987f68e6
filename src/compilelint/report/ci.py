"""Reports for continuous integration: GitHub's workflow commands, GitLab's Code Quality, JUnit.

Everything from outside is first made visible (`report.text`), then escaped as the format wants it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from xml.etree import ElementTree

from compilelint.model import Finding, Severity, Span
from compilelint.report import Report
from compilelint.report.lines import fingerprints
from compilelint.report.page import counted
from compilelint.report.places import Files, Places
from compilelint.report.text import escaped, spoken, witnessed

# --------------------------------------------------------------------- GitHub

_COMMANDS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.NOTE: "notice"}
_SHOWN_BY_GITHUB = 10
"""Annotations of one kind in one step; the rest stays in the log."""


def github(report: Report) -> str:
    """A workflow command for each finding, worst first, and a last line that counts them."""
    places = Places(report.base)
    files = Files(report.unsaved)
    ordered = sorted(report.findings, key=lambda finding: -finding.severity)
    lines = [_annotation(one, places, files.span(one.location)) for one in ordered]
    return "".join(f"{line}\n" for line in (*lines, _headline(report)))


def _annotation(finding: Finding, places: Places, span: Span) -> str:
    fields: dict[str, str | int] = {
        "file": escaped(places.relative(finding.location.path)),
        "line": span.line,
        "endLine": span.end_line,
        "title": f"{finding.rule.code} {finding.rule.name}",
    }
    if span.line == span.end_line:  # GitHub refuses columns of a place that spans lines
        fields |= {"col": span.column, "endColumn": span.end_column}
    told = ",".join(f"{key}={_property(str(value))}" for key, value in fields.items())
    return f"::{_COMMANDS[finding.severity]} {told}::{_data(chr(10).join(_told(finding, places)))}"


def _told(finding: Finding, places: Places) -> Iterator[str]:
    """What an annotation or a test case says, in lines."""
    yield escaped(finding.message)
    if finding.location.cell is not None:
        yield f"in cell {finding.location.cell}, line {finding.location.span.line}"
    yield from (escaped(line) for line in finding.why.splitlines())
    if seen := witnessed(finding):
        yield f"verify: {seen}"
    if finding.help:
        yield "help: " + " ".join(escaped(line) for line in finding.help.splitlines())
    for site in finding.call_chain:
        where = escaped(places.relative(site.location.path)) + spoken(site.location)
        yield f"called in {escaped(site.function)}, {where}"
    yield f"docs: compilelint rule {finding.rule.code}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


def _headline(report: Report) -> str:
    """One plain line; it starts with no `::`, so the runner shows it and does nothing."""
    counts = report.by_severity()
    told = ", ".join(counted(count, severity.label) for severity, count in counts.items())
    hidden = any(count > _SHOWN_BY_GITHUB for count in counts.values())
    more = f"; GitHub shows {_SHOWN_BY_GITHUB} annotations of a kind" if hidden else ""
    return f"compilelint: {told} in {counted(report.files_checked, 'file')}{more}"


# --------------------------------------------------------------------- GitLab

_GITLAB = {Severity.ERROR: "critical", Severity.WARNING: "major", Severity.NOTE: "minor"}


def gitlab(report: Report) -> str:
    """The Code Quality artifact: a JSON array, every entry with a fingerprint of its own."""
    places, files = Places(report.base), Files(report.unsaved)
    entries = [
        {
            "description": f"{finding.rule.code}: {escaped(finding.message)}",
            "check_name": finding.rule.name,
            "fingerprint": mark,
            "severity": _GITLAB[finding.severity],
            "location": {
                "path": escaped(places.relative(finding.location.path)),
                "lines": _lines(files.span(finding.location)),
            },
        }
        for finding, mark in zip(report.findings, fingerprints(report), strict=True)
    ]
    return json.dumps(entries, indent=1) + "\n"


def _lines(span: Span) -> dict[str, int]:
    return {"begin": span.line, "end": span.end_line}


# ---------------------------------------------------------------------- JUnit

# What XML 1.0 cannot hold even as a number, and is not escaped by `report.text`.
_NOT_XML = re.compile("[\ufffe\uffff]")


def junit(report: Report) -> str:
    """A suite a file, a failed case a finding; one case that passes where nothing was found."""
    places = Places(report.base)
    by_path: dict[str, list[Finding]] = {}
    for finding in report.findings:
        by_path.setdefault(places.relative(finding.location.path), []).append(finding)
    total = len(report.findings)
    counts = {"tests": str(max(total, 1)), "failures": str(total), "errors": "0"}
    root = ElementTree.Element("testsuites", {"name": "compilelint", **counts})
    for path, findings in by_path.items():
        root.append(_suite(_xml(path), findings, places))
    if not by_path:
        suite = ElementTree.SubElement(root, "testsuite", {"name": "compilelint", **counts})
        name = f"no findings in {counted(report.files_checked, 'file')}"
        ElementTree.SubElement(suite, "testcase", {"classname": "compilelint", "name": name})
    ElementTree.indent(root, " ")
    return '<?xml version="1.0" encoding="utf-8"?>\n' + ElementTree.tostring(root, encoding="unicode") + "\n"


def _suite(path: str, findings: Sequence[Finding], places: Places) -> ElementTree.Element:
    number = str(len(findings))
    suite = ElementTree.Element("testsuite", {"name": path, "tests": number, "failures": number, "errors": "0"})
    for finding in findings:
        span = finding.location.span
        cell = "" if finding.location.cell is None else f"cell {finding.location.cell}, "
        name = f"{finding.rule.code} {finding.rule.name}, {cell}line {span.line}, column {span.column}"
        place = {"file": path, "line": str(span.line)}
        case = ElementTree.SubElement(suite, "testcase", {"classname": path, "name": name, **place})
        head = {"type": finding.severity.label, "message": _xml(finding.message)}
        failure = ElementTree.SubElement(case, "failure", head)
        failure.text = _NOT_XML.sub(_number, "\n".join((path + spoken(finding.location), *_told(finding, places))))
    return suite


def _xml(text: str) -> str:
    return _NOT_XML.sub(_number, escaped(text))


def _number(found: re.Match[str]) -> str:
    return f"\\u{ord(found.group()):04x}"
