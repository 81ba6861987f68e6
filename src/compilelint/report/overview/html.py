"""The readiness report as one HTML page that fetches nothing, light, dark and on paper; without any script."""

from __future__ import annotations

import base64
import hashlib
import os
from typing import Any

from compilelint import __version__
from compilelint.report.layout.paths import Places
from compilelint.report.layout.source_links import SourceOnWeb, source_from, source_of
from compilelint.report.layout.style import style
from compilelint.report.layout.templating import Shown, page
from compilelint.report.layout.text import escaped, spoken
from compilelint.report.overview.document import document
from compilelint.report.overview.overview import Overview
from compilelint.report.overview.parts import Bar, Item


def render(overview: Overview) -> str:
    """The whole page."""
    base = overview.report.base
    places, source = Places(base), source_from(os.environ) or source_of(base)
    said = document(overview, lambda path: escaped(places.relative(path)), places)
    sheet = f"\n{style()}"
    hashed = base64.b64encode(hashlib.sha256(sheet.encode("utf-8")).digest()).decode("ascii")
    text = page(
        "overview.html",
        policy=f"default-src 'none'; style-src 'sha256-{hashed}'; base-uri 'none'; form-action 'none'",
        sheet=sheet,
        version=__version__,
        headline=said.headline,
        summary=said.summary,
        sections=[
            {
                "title": one.title,
                "ordered": one.ordered,
                "things": [_item(item, places, source) for item in one.items],
                "more": one.more,
            }
            for one in said.sections
        ],
        foot=said.foot,
    )
    return text if text.endswith("\n") else f"{text}\n"


_MOST = 4.0  # times eager that a bar is drawn for
_WIDTH = 300  # of all of it


def _bar(bar: Bar) -> dict[str, Any]:
    """Where a bar begins and how wide it is, with the mark of eager at a quarter of the width."""
    low, high = (min(value, _MOST) / _MOST * _WIDTH for value in (bar.low, bar.high))
    return {
        "label": bar.label,
        "words": f"{bar.low:.1f} to {bar.high:.1f} times",
        "x": round(low, 1),
        "width": round(max(2.0, high - low), 1),
        "eager": _WIDTH / _MOST,
        "total": _WIDTH,
    }


def _item(item: Item, places: Places, source: SourceOnWeb | None) -> dict[str, Any]:
    place = ""
    if item.place is not None:
        at = spoken(item.place)
        place = escaped(places.relative(item.place.path)) + (at if item.rule else at.rpartition(":")[0])
    return {
        "place": Shown(place),
        "address": source.line(item.place, places) if source and item.place else "",
        "code": item.rule.code if item.rule else "",
        "page": item.rule.address if item.rule else "",
        "severity": item.severity.label if item.severity else "",
        "text": item.text,
        "details": item.details,
        "bars": [_bar(one) for one in item.bars],
    }
