"""JUnit XML: a suite a file, a failed case a finding.

Everything from outside is first made visible (`report.layout.text`), then escaped as the format wants it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from xml.etree import ElementTree

from compilelint.model import Finding
from compilelint.model.patterns import late_pattern
from compilelint.report.layout.judged import judged_words
from compilelint.report.layout.paths import Places
from compilelint.report.layout.spoken_lines import spoken_lines
from compilelint.report.layout.text import counted, escaped, spoken
from compilelint.report.report import Report

# What XML 1.0 cannot hold even as a number, and is not escaped by `report.layout.text`.
_NOT_XML = late_pattern("[\ufffe\uffff]")


def render(report: Report) -> str:
    """A suite a file, a failed case a finding; one case that passes where nothing was found.

    What was judged is a property of the first suite, since `testsuites` has none in what CI systems read.
    """
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
    properties = ElementTree.Element("properties")
    root[0].insert(0, properties)
    for head, body in judged_words(report, places):
        ElementTree.SubElement(properties, "property", {"name": head.lower(), "value": _xml(body)})
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
        failure.text = _NOT_XML.sub(
            _number, "\n".join((path + spoken(finding.location), *spoken_lines(finding, places)))
        )
    return suite


def _xml(text: str) -> str:
    return _NOT_XML.sub(_number, escaped(text))


def _number(found: re.Match[str]) -> str:
    return f"\\u{ord(found.group()):04x}"
