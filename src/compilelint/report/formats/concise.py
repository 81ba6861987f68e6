"""The report for people in a hurry: a line a finding."""

from __future__ import annotations

from compilelint.report.layout.label import STYLES, label
from compilelint.report.layout.page import Page
from compilelint.report.layout.styled import Text
from compilelint.report.layout.summary import put_counts
from compilelint.report.layout.text import escaped
from compilelint.report.report import Report


def render(report: Report, *, color: bool, width: int | None, summary: bool, links: bool = False) -> str:
    """`path:line:column: severity[CODE] title`, a line a finding, whatever the width; the summary alone is wrapped."""
    page = Page(color, width, links)
    for finding in report.findings:
        place = page.place(finding.location)
        page.put(Text.assemble(place, ": ", label(finding), f" {escaped(finding.message)}"))
    if summary:
        put_counts(page, report, STYLES)
    return page.text()
