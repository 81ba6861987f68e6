"""The report as one HTML file: nothing is fetched, nothing is needed, to be sent to a colleague and opened anywhere.

The page is whole without its script, which filters, searches and moves by keyboard. The Content-Security-Policy allows
that script and that style sheet by their hashes and nothing else. What comes from linted files or from runs reaches the
page through Jinja2 alone (`layout.templating`), and attributes hold none of it but percent-encoded paths in links.
"""

from __future__ import annotations

import base64
import hashlib
import os
from itertools import islice
from typing import Any

from compilelint import __version__
from compilelint.model import Location, Notice, Span
from compilelint.report.layout.benches_html import bench_views
from compilelint.report.layout.findings_html import Findings
from compilelint.report.layout.judged import judged_words
from compilelint.report.layout.paths import Places
from compilelint.report.layout.quoted import Lines
from compilelint.report.layout.readiness import readiness, ready
from compilelint.report.layout.runs_html import run_view, strip_view, target_view
from compilelint.report.layout.source_links import source_from, source_of
from compilelint.report.layout.strips import expected
from compilelint.report.layout.style import style
from compilelint.report.layout.templating import Shown, page, source
from compilelint.report.layout.text import counted, escaped, spoken
from compilelint.report.report import Report

_MOST_STRIPS = 100


def render(report: Report) -> str:
    """The whole page."""
    places, line_of = Places(report.base), Lines(report)
    findings = Findings(report, places, line_of, source_from(os.environ) or source_of(report.base))
    sheet, script = f"\n{style()}", f"\n{source('page.js')}"
    text = page(
        "page.html",
        policy=f"default-src 'none'; style-src '{_hash(sheet)}'; script-src '{_hash(script)}'; "
        "base-uri 'none'; form-action 'none'",
        sheet=sheet,
        script=script,
        version=__version__,
        headline=_headline(report),
        severities=[(one.label, number) for one, number in report.by_severity().items()],
        judged=judged_words(report, places),
        benches=bench_views(report.benches),
        targets=[target_view(run) for run in report.targets],
        runs=[run_view(run, findings) for run in report.targets],
        roots=_roots(report, findings, line_of),
        findings=findings,
        notices=[(one.text, _at(one, places)) for one in report.notices],
    )
    return text if text.endswith("\n") else f"{text}\n"


def _hash(text: str) -> str:
    """How a Content-Security-Policy names the content of an element."""
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode('utf-8')).digest()).decode('ascii')}"


def _headline(report: Report) -> str:
    files = counted(report.files_checked, "file")
    left = [
        (report.suppressed, "suppressed"),
        (report.hidden, "of low confidence"),
        (report.baselined, "in the baseline"),
    ]
    more = ", ".join(f"{number} {word}" for number, word in left if number)
    found = f"{counted(len(report.findings), 'finding')} in {files}"
    return f"{found}. For torch {report.torch.version} ({report.torch.source}).{f' Not shown: {more}.' if more else ''}"


def _at(notice: Notice, places: Places) -> Shown:
    """Where a notice is about a line."""
    if notice.path is None or not notice.line:
        return Shown("")
    at = Location(notice.path, Span(notice.line, 1, notice.line, 1), notice.cell)
    return Shown(escaped(places.relative(notice.path) + spoken(at)))


def _roots(report: Report, findings: Findings, line_of: Lines) -> dict[str, Any] | None:
    """What is expected of the compile roots; None where there are none."""
    if not report.roots:
        return None
    rows = readiness(report)
    words = {row.key: row.words for row in rows}
    roots = sum(ready(report)) + len(rows)
    good = roots - sum(row.breaks > 0 for row in rows)
    strips = list(islice(expected(report, line_of), _MOST_STRIPS))
    return {
        "summary": f"In {good} of {counted(roots, 'compile root')} no graph break was found.",
        "strips": [strip_view(one, findings, words.get((one.name, one.path, one.line), "")) for one in strips],
        "most": _MOST_STRIPS,
    }
