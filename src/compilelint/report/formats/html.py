"""The report as one HTML file: no script, nothing fetched, to be sent to a colleague and opened anywhere.

Every text from a linted file or a run goes through `_html`, which makes hidden characters visible and escapes
markup; no attribute holds such a text.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Sequence

from compilelint import __version__
from compilelint.model import Fate, Finding, Location, Notice, Severity, Span, TargetRun
from compilelint.report.layout.benches_html import bench_sections
from compilelint.report.layout.frames import Piece, Row, frames, underlined
from compilelint.report.layout.judged import judged_words
from compilelint.report.layout.page import counted
from compilelint.report.layout.patches import changed_lines
from compilelint.report.layout.paths import Places
from compilelint.report.layout.quoted import Lines
from compilelint.report.layout.readiness import readiness, ready
from compilelint.report.layout.strips import Stretch, Strip, expected, observed
from compilelint.report.layout.style import style
from compilelint.report.layout.text import display, escaped, spoken, witnessed
from compilelint.report.report import Report

_MOST_FINDINGS = 500
_MOST_STRIPS = 100
_MOST_CHARACTERS = 2000
_OPEN = 10  # findings that are shown unfolded
_CODE = re.compile(r"`([^`]+)`")
_POLICY = "default-src 'none'; style-src 'unsafe-inline'"


def render(report: Report) -> str:
    """The whole page."""
    return "".join(f"{line}\n" for line in _page(report))


def _page(report: Report) -> Iterator[str]:
    yield "<!DOCTYPE html>"
    yield '<html lang="en">'
    yield f'<head>\n<meta charset="utf-8">\n<meta http-equiv="Content-Security-Policy" content="{_POLICY}">'
    yield '<meta name="viewport" content="width=device-width, initial-scale=1">'
    yield f"<title>compilelint report</title>\n<style>\n{style()}</style>\n</head>\n<body>"
    yield '<a class="skip" href="#findings">Skip to the findings</a>'
    yield "<header>\n<h1>compilelint report</h1>"
    yield f"<p>{_headline(report)}</p>"
    places, line_of = Places(report.base), Lines(report)
    yield from (f'<p class="quiet">{head}: {_worded(body)}</p>' for head, body in judged_words(report, places))
    yield "</header>\n<main>"
    yield from bench_sections(report.benches)
    if report.targets:
        yield from _targets(report.targets)
        yield from _runs(report.targets, places)
    yield from _roots(report, places, line_of)
    yield from _findings(report, places, line_of)
    if report.notices:
        yield "<section>\n<h2>Notices</h2>\n<ul>"
        yield from (f"<li>{_html(one.text)}{_at(one, places)}</li>" for one in report.notices)
        yield "</ul>\n</section>"
    yield f'</main>\n<footer class="quiet"><p>compilelint {_html(__version__)}</p></footer>\n</body>\n</html>'


def _at(notice: Notice, places: Places) -> str:
    """Where a notice is about a line."""
    if notice.path is None or not notice.line:
        return ""
    at = Location(notice.path, Span(notice.line, 1, notice.line, 1), notice.cell)
    return f" ({_breakable_path(places.relative(notice.path) + spoken(at))})"


def _headline(report: Report) -> str:
    counts = ", ".join(counted(number, one.label) for one, number in report.by_severity().items() if number)
    files = counted(report.files_checked, "file")
    found = f"{counted(len(report.findings), 'finding')} in {files}" + (f": {counts}" if counts else "")
    left = [(report.suppressed, "suppressed"), (report.hidden, "less sure"), (report.baselined, "in the baseline")]
    more = ", ".join(f"{number} {word}" for number, word in left if number)
    torch = f"For torch {_html(report.torch.version)} ({_html(report.torch.source)})."
    return f"{found}. {torch}{f' Not shown: {more}.' if more else ''}"


# --------------------------------------------------------------------- targets


def _targets(runs: Sequence[TargetRun]) -> Iterator[str]:
    heads = ("target", "graphs", "breaks", "recompiles", "same as eager", "compile time", "budget")
    yield '<section>\n<h2 id="readiness">Readiness</h2>'
    yield '<div class="scroll" role="region" aria-labelledby="readiness" tabindex="0">'
    yield "<table>\n<caption>What TorchDynamo did with each target</caption>\n<thead><tr>"
    yield "".join(f'<th scope="col">{head}</th>' for head in heads) + "</tr></thead>\n<tbody>"
    for run in runs:
        yield f'<tr><th scope="row">{_html(run.target)}</th>{"".join(f"<td>{cell}</td>" for cell in _cells(run))}</tr>'
    yield "</tbody></table>\n</div>\n</section>"


def _cells(run: TargetRun) -> Iterator[str]:
    if run.fate not in (Fate.RAN, Fate.COMPILE_ERROR):
        yield from ("not run",) + ("",) * 4
        yield _html(f"{run.fate.value}: {run.detail.partition(chr(10))[0]}")
        return
    yield str(run.graphs)
    yield str(len(run.own_breaks))
    yield f"{len(run.recompiles)}{', then given up' if run.limits else ''}"
    parity = run.parity
    if parity is None:
        yield "not compared"
    elif parity.divergences:
        yield f'<span class="error severity">differs</span>: {_html(parity.divergences[0].name)}'
    else:
        yield "unknown" if parity.unknown else "yes"
    yield f"{run.compile_seconds:.1f} s"
    kept = run.within_budget
    yield f'<span class="severity {"note" if kept else "error"}">{"kept" if kept else "missed"}</span>'


def _runs(runs: Sequence[TargetRun], places: Places) -> Iterator[str]:
    yield "<section>\n<h2>What ran</h2>"
    yield from _legend()
    for run in runs:
        yield f"<h3>{_html(run.target)}</h3>"
        if run.inputs:
            yield f'<p class="quiet">Called with {_html(", ".join(run.inputs))} ({_html(run.inputs_from)}).</p>'
        if run.graphs:
            operations = counted(sum(run.ops), "operation")
            yield f"<p>Dynamo made {counted(run.graphs, 'graph')} of {operations} in {counted(run.calls, 'call')}.</p>"
        strips, others = observed(run)
        for strip in strips:
            yield from _strip(strip, places, "h4")
        if others:
            yield f'<p class="quiet">{counted(others, "function")} more, in which no graph ends.</p>'
        if run.skipped:
            yield "<h4>Left to Python</h4>\n<ul>"
            for frame in run.skipped:
                where = f"{places.relative(frame.path)}:{frame.line}"
                reason = _html(_first(frame.reason))
                yield f"<li><code>{_html(frame.function)}</code> ({_breakable_path(where)}): {reason}</li>"
            yield "</ul>"
        if run.recompiles:
            yield "<h4>Compiled again</h4>\n<ol>"
            for again in run.recompiles:
                where = f"{places.relative(again.path)}:{again.line}"
                guard = again.guards[0] if again.guards else "a guard failed"
                yield f"<li>In call {again.call + 1}, <code>{_html(again.function)}</code> ({_breakable_path(where)}),"
                yield f"because of its {_html(again.cause)}: <code>{_html(_first(guard))}</code></li>"
            yield "</ol>"
        for limit in run.limits:
            yield f'<p class="error">Given up: <code>{_html(limit.function)}</code>: {_html(_first(limit.text))}</p>'
    yield "</section>"


def _first(text: str) -> str:
    return text.strip().partition("\n")[0]


# ---------------------------------------------------------------------- strips


def _roots(report: Report, places: Places, line_of: Lines) -> Iterator[str]:
    rows = readiness(report)
    if not report.roots:
        return
    yield "<section>\n<h2>Expected of each compile root</h2>"
    roots = ready(report) + len(rows)
    good = roots - sum(row.breaks > 0 for row in rows)
    yield f"<p>In {good} of {counted(roots, 'compile root')} nothing was found that ends a graph.</p>"
    strips = list(expected(report, line_of))[:_MOST_STRIPS]
    if strips and not report.targets:
        yield from _legend()
    for strip in strips:
        yield from _strip(strip, places, "h3")
    yield "</section>"


def _legend() -> Iterator[str]:
    yield '<ul class="legend">\n<li><span class="graph-odd">captured</span></li>'
    yield '<li><span class="graph-even">captured, after a break</span></li>'
    yield '<li><span class="break">ends a graph</span></li>\n<li><span class="python">left to Python</span></li>\n</ul>'


def _strip(strip: Strip, places: Places, head: str) -> Iterator[str]:
    yield f"<{head}>{_html(strip.name)}</{head}>"
    yield f'<p class="place quiet">{_breakable_path(places.relative(strip.path))}</p>\n<ol class="strip">'
    yield from (_stretch(one) for one in strip.stretches)
    yield "</ol>"


def _stretch(one: Stretch) -> str:
    lines = _ranges(one.lines)
    if one.kind == "break":
        return f'<li class="break">{lines} ends the graph: {_worded(_first(one.note))}</li>'
    if one.kind == "python":
        return f'<li class="python">Python<br>{lines}</li>'
    return f'<li class="{"graph-odd" if one.part % 2 else "graph-even"}">part {one.part}<br>{lines}</li>'


def _ranges(lines: Sequence[int]) -> str:
    """`line 7`, `lines 7, 13 to 15`."""
    runs: list[list[int]] = []
    for line in lines:
        if runs and line == runs[-1][1] + 1:
            runs[-1][1] = line
        else:
            runs.append([line, line])
    numbers = ", ".join(f"{first}" if first == last else f"{first} to {last}" for first, last in runs)
    return f"line{'' if len(lines) == 1 else 's'} {numbers}"


# -------------------------------------------------------------------- findings


def _findings(report: Report, places: Places, line_of: Lines) -> Iterator[str]:
    yield '<section>\n<h2 id="findings" tabindex="-1">Findings</h2>'
    if not report.findings:
        yield "<p>None.</p>"
    ordered = sorted(report.findings, key=lambda one: -one.severity)
    for number, finding in enumerate(ordered[:_MOST_FINDINGS]):
        yield from _finding(finding, places, line_of, number < _OPEN)
    if len(ordered) > _MOST_FINDINGS:
        yield f"<p>{counted(len(ordered) - _MOST_FINDINGS, 'more finding')}, the least severe, not shown.</p>"
    yield "</section>"


def _finding(finding: Finding, places: Places, line_of: Lines, shown: bool) -> Iterator[str]:
    severity = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.NOTE: "note"}[finding.severity]
    place = f"{places.relative(finding.location.path)}{spoken(finding.location)}"
    yield f"<details{' open' if shown else ''}>"
    yield f'<summary><span class="severity {severity}">{severity}</span> {_html(finding.rule.code)}'
    yield _worded(finding.message)
    yield f'<br><span class="place quiet">{_breakable_path(place)}</span></summary>\n<div>'
    for frame in frames(finding, line_of):
        yield f"<pre>{''.join(_frame_rows(frame.rows))}</pre>"
    yield "<dl>"
    if finding.why:
        yield f"<dt>why</dt><dd>{_worded(finding.why)}</dd>"
    if finding.help:
        yield f"<dt>help</dt><dd>{_worded(finding.help)}</dd>"
    if finding.verdict is not None:
        yield f"<dt>seen</dt><dd>{_worded(witnessed(finding))}</dd>"
    if finding.call_chain:
        calls = [
            f"{one.function} ({places.relative(one.location.path)}{spoken(one.location)})" for one in finding.call_chain
        ]
        yield f"<dt>called</dt><dd>{' → '.join(f'<code>{_html(one)}</code>' for one in calls)}</dd>"
    if finding.roots:
        yield f"<dt>reached</dt><dd>from {', '.join(f'<code>{_html(one)}</code>' for one in finding.roots[:8])}</dd>"
    read_on = ", ".join((f"compilelint rule {finding.rule.code}", *finding.break_ids))
    yield f"<dt>confidence</dt><dd>{finding.confidence.label}</dd>\n<dt>docs</dt><dd>{_html(read_on)}</dd>\n</dl>"
    if finding.fix is not None:
        yield f"<p>{_worded(finding.fix.title)} ({finding.fix.safety.value})</p>"
        yield f"<pre>{_diff(finding, line_of)}</pre>"
    yield "</div>\n</details>"


def _frame_rows(rows: Sequence[Row]) -> Iterator[str]:
    for row in rows:
        if not row.number:
            yield "…\n"
            continue
        yield f'<span class="quiet">{row.number:>5} │</span> {_cut(row.text)}\n'
        for pieces in underlined(row.marks):
            yield f"      │ {_pieces(pieces)}\n"


def _pieces(pieces: Sequence[Piece]) -> str:
    at, shown = 0, ""
    for piece in sorted(pieces, key=lambda one: one.start):
        shown += " " * max(piece.start - at, 0)
        shown += f'<span class="{"here" if piece.primary else "there"}">{_cut(piece.text)}</span>'
        at = piece.start + len(piece.text)
    return shown if at <= _MOST_CHARACTERS else ""


def _diff(finding: Finding, line_of: Lines) -> str:
    assert finding.fix is not None
    shown = []
    for one in changed_lines(finding.fix, finding.location, line_of):
        tag, sign = ("del", "-") if one.removed else ("ins", "+")
        shown.append(f"<{tag}>{sign} {_cut(''.join(display(one.text)))}</{tag}>")
    return "".join(shown)


# ----------------------------------------------------------------------- texts


def _html(text: str) -> str:
    """Text from anywhere: hidden characters made visible, on one line, markup escaped."""
    return _cut(escaped(" ".join(text.splitlines())))


def _breakable_path(text: str) -> str:
    """A path and what stands behind it, character by character."""
    return _cut(escaped(text))


def _cut(text: str) -> str:
    """A line that is fit to be shown, cut to a length that is read."""
    short = text if len(text) <= _MOST_CHARACTERS else text[: _MOST_CHARACTERS - 1] + "…"
    return html.escape(short)


def _worded(text: str) -> str:
    """A message of ours: what stands between backticks is code."""
    parts = _CODE.split(escaped(" ".join(text.splitlines())))
    return "".join(f"<code>{_cut(part)}</code>" if number % 2 else _cut(part) for number, part in enumerate(parts))
