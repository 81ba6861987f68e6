"""A run's log as one HTML page: causes, what to write, and the timeline of compilation, a row a rank.

The page has no script at all, and its policy lets none run. Texts of the log reach it through Jinja2 alone
(`layout.templating`), and no attribute but a title holds any of them.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterator, Sequence
from typing import Any

from compilelint import __version__
from compilelint.report.layout.style import style
from compilelint.report.layout.templating import page, source
from compilelint.report.layout.text import counted
from compilelint.report.layout.traces import (
    change_words,
    costs,
    divergence_words,
    facts,
    headline,
    place_words,
    remedies,
    sources,
)
from compilelint.trace.cause import Kind, Span, Trace
from compilelint.trace.entry import Entry, TraceReport
from compilelint.trace.words import message_of, seconds

View = dict[str, Any]

_WIDTH, _LEFT, _ROW, _MARGIN = 960, 70, 22, 10
_MOST_ROWS = 64
_MOST_CAUSES = 500
_MOST_UNSEEN = 200


def trace_html(report: TraceReport) -> str:
    """The whole page."""
    sheet = f"\n{style()}{source('trace.css')}"
    policy = f"default-src 'none'; style-src '{_hash(sheet)}'; base-uri 'none'; form-action 'none'"
    text = page(
        "trace.html",
        policy=policy,
        sheet=sheet,
        version=__version__,
        headline=headline(report),
        sources=list(sources(report)),
        costs=list(costs(report.trace)),
        charts=list(_charts(report.trace)),
        entries=[_entry(one) for one in report.entries[:_MOST_CAUSES]],
        divergences=[divergence_words(one) for one in report.trace.divergences],
        changes=None if report.changes is None else [change_words(one) for one in report.changes[:_MOST_CAUSES]],
        unseen=[
            f"{one.location.path}:{one.location.span.line}: {one.rule.code} {one.message}"
            for one in report.unseen[:_MOST_UNSEEN]
        ],
    )
    return text if text.endswith("\n") else f"{text}\n"


def _entry(entry: Entry) -> View:
    return {
        "kind": entry.cause.kind.value,
        "message": message_of(entry),
        "place": place_words(entry.place),
        "function": entry.cause.place.function,
        "id": entry.cause.break_id,
        "code": entry.code,
        "facts": list(facts(entry)),
        "write": list(remedies(entry)),
        "stack": [f"{step.path}:{step.line} in {step.function}" for step in entry.cause.stack],
    }


# -------------------------------------------------------------------- timeline


def _charts(trace: Trace) -> Iterator[View]:
    spans = trace.spans
    if not spans:
        return
    begins = min(one.begins for one in spans)
    length = max(max(one.begins + one.seconds for one in spans) - begins, 1e-3)
    scale = (_WIDTH - _LEFT - _MARGIN) / length
    rows: list[View] = []
    for rank, own in _by_rank(spans)[:_MOST_ROWS]:
        top = len(rows) * _ROW
        bars = [_bar(one, trace, begins, scale, top) for one in own]
        rows.append({"label": f"rank {rank}" if len(trace.ranks) > 1 else "compiles", "y": top + 14, "bars": bars})
    yield {
        "title": "When it compiled",
        "width": _WIDTH,
        "height": len(rows) * _ROW,
        "left": _LEFT,
        "right": _WIDTH - _MARGIN,
        "length": seconds(length),
        "rows": rows,
        "left_out": f"{counted(trace.spans_left_out, 'shorter compile')} not drawn" if trace.spans_left_out else "",
    }


def _by_rank(spans: Sequence[Span]) -> list[tuple[int, list[Span]]]:
    found: dict[int, list[Span]] = {}
    for one in spans:
        found.setdefault(one.rank, []).append(one)
    return sorted(found.items())


def _bar(span: Span, trace: Trace, begins: float, scale: float, top: int) -> View:
    cause = trace.causes[span.cause] if span.cause >= 0 else None
    kind = "backward" if span.backward else "first"
    if cause is not None and not span.backward:
        kind = "again" if cause.kind is Kind.RECOMPILE else "broken"
    because = f", because of {place_words(cause.place)}" if cause is not None else ""
    return {
        "kind": kind,
        "x": f"{_LEFT + (span.begins - begins) * scale:.1f}",
        "y": top + 2,
        "width": f"{max(span.seconds * scale, 0.5):.1f}",
        "height": _ROW - 6,
        "title": f"{span.id} {span.frame.function} ({place_words(span.frame)}): {seconds(span.seconds)}{because}",
    }


def _hash(text: str) -> str:
    """How a Content-Security-Policy names the content of an element."""
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode('utf-8')).digest()).decode('ascii')}"
