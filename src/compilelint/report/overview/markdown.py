"""The readiness report in Markdown, for summaries of CI runs and wikis; escaped as the findings are."""

from __future__ import annotations

import os
from collections.abc import Iterator

from compilelint.report.formats.markdown import code, rule_link, worded
from compilelint.report.layout.paths import Places
from compilelint.report.layout.source_links import SourceOnWeb, source_from, source_of
from compilelint.report.layout.text import escaped, spoken
from compilelint.report.overview.document import document
from compilelint.report.overview.overview import Overview
from compilelint.report.overview.parts import Item, Section


def render(overview: Overview) -> str:
    """One page of Markdown; places link to the line at its commit where that is known."""
    base = overview.report.base
    return "\n".join(_lines(overview, Places(base), source_from(os.environ) or source_of(base))) + "\n"


def _lines(overview: Overview, places: Places, source: SourceOnWeb | None) -> Iterator[str]:
    said = document(overview, lambda path: escaped(places.relative(path)), places)
    yield f"## {worded(said.headline)}"
    for line in said.summary:
        yield ""
        yield worded(line)
    for section in said.sections:
        yield from _section(section, places, source)
    for head, body in said.foot:
        yield ""
        yield f"{head}: {worded(body)}"


def _section(section: Section, places: Places, source: SourceOnWeb | None) -> Iterator[str]:
    yield ""
    yield f"### {worded(section.title)}"
    yield ""
    for number, item in enumerate(section.items, 1):
        mark = f"{number}." if section.ordered else "-"
        yield f"{mark} {_head(item, places, source)}{worded(item.text)}"
        yield from (f"{' ' * len(mark)} - {worded(line)}" for line in item.details)
    if section.more:
        yield ""
        yield worded(section.more)


def _head(item: Item, places: Places, source: SourceOnWeb | None) -> str:
    if item.place is None:
        return ""
    at = spoken(item.place)
    place = code(escaped(places.relative(item.place.path)) + (at if item.rule else at.rpartition(":")[0]))
    address = source.line(item.place, places) if source else ""
    linked = f"[{place}]({address})" if address else place
    return f"{linked} {rule_link(item.rule)} " if item.rule else f"{linked} "
