"""The readiness report for a terminal, or as plain text."""

from __future__ import annotations

from compilelint.model import Severity
from compilelint.report.layout.page import Page
from compilelint.report.layout.styled import Text
from compilelint.report.layout.text import shown_path
from compilelint.report.overview.document import document
from compilelint.report.overview.overview import Overview
from compilelint.report.overview.parts import Item, Section

_STYLES = {Severity.ERROR: "bold red", Severity.WARNING: "yellow", Severity.NOTE: "cyan"}


def render(overview: Overview, *, color: bool = False, width: int | None = None, links: bool = False) -> str:
    """One page of text."""
    page = Page(color, width, links)
    said = document(overview, shown_path)
    page.put(Text(said.headline, style="bold"))
    for line in said.summary:
        page.paragraph(Text(""), _plain(line), indent=0)
    for section in said.sections:
        _put_section(page, section)
    page.put(Text())
    for head, body in said.foot:
        page.paragraph(Text(f"{head}: ", style="bold"), body, indent=6)
    return page.text()


def _put_section(page: Page, section: Section) -> None:
    page.put(Text())
    page.put(Text(section.title, style="bold"))
    for number, item in enumerate(section.items, 1):
        mark = f"{number:>3}. " if section.ordered else "  "
        page.paragraph(_head(page, item, mark), _plain(item.text), indent=len(mark))
        for line in item.details:
            page.paragraph(Text(" " * (len(mark) + 2)), _plain(line), indent=len(mark) + 4)
    if section.more:
        page.paragraph(Text("  "), _plain(section.more), indent=2)


def _head(page: Page, item: Item, mark: str) -> Text:
    parts = [Text(mark)]
    if item.place is not None:
        parts.append(page.place(item.place, column=item.rule is not None))
    if item.rule is not None:
        style = _STYLES[item.severity] if item.severity is not None else ""
        parts += [Text(" "), page.link(Text(item.rule.code, style=style), item.rule.address)]
    return Text.assemble(*parts, " ") if item.place is not None else Text.assemble(*parts)


def _plain(words: str) -> Text:
    """A terminal shows code as it stands in the words."""
    return Text(words)
