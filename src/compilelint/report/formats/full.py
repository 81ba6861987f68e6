"""Everything for people: every finding with its code frame, in the order of the files.

All text from outside goes through `report.layout.text`, which escapes what could move the cursor, and onto a `Page`.
"""

from __future__ import annotations

from compilelint.report.layout.cost import costs
from compilelint.report.layout.finding_text import put_group, quoting, title
from compilelint.report.layout.grouping import grouped
from compilelint.report.layout.label import STYLES
from compilelint.report.layout.page import Page
from compilelint.report.layout.styled import Text
from compilelint.report.layout.summary import put_counts, put_readiness
from compilelint.report.report import Report

# Frames cost a millisecond each.
_MOST_FRAMES = 2_000


def render(report: Report, *, color: bool, width: int | None, summary: bool, links: bool = False) -> str:
    """Every finding with its code frame, why, help and where to read on; like ones of one function share a frame."""
    page = Page(color, width, links)
    line_of = quoting(report)
    groups = list(grouped(report.findings))
    priced = {id(one): cost for one, cost in zip(report.findings, costs(report), strict=True)}
    for group in groups[:_MOST_FRAMES]:
        put_group(page, group, line_of, priced[id(group.first)])
        page.put(Text())
    for group in groups[_MOST_FRAMES:]:
        page.put(Text.assemble(page.place(group.first.location), ": ", *title(page, group)))
    if summary:
        put_readiness(page, report)
        put_counts(page, report, STYLES)
    return page.text()
