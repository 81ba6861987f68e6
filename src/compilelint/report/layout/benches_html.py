"""Measurements as sections of the HTML page: advice, numbers, and the distribution of times with its interval.

A chart is a picture for the eyes; the table above it says the same in numbers, and each mark has a title.
"""

from __future__ import annotations

import html
from collections.abc import Iterable, Iterator, Sequence

from compilelint.bench.advice import advise
from compilelint.bench.result import Bench, Measured
from compilelint.bench.statistics import quantile
from compilelint.bench.words import seconds
from compilelint.report.layout.benches import HEADS, MORE_HEADS, inputs_text, more_rows, rows, set_rows, stack_text
from compilelint.report.layout.text import escaped

_WIDTH, _LEFT, _ROW = 720, 190, 26
_BINS = 48
_MARGIN = 24


def bench_sections(benches: Sequence[Bench]) -> Iterator[str]:
    """A section with all targets; nothing where nothing was measured."""
    if not benches:
        return
    yield '<section>\n<h2 id="payoff">Does compiling pay?</h2>'
    for number, bench in enumerate(benches):
        yield from _target(bench, number)
    for text in dict.fromkeys(stack_text(bench) for bench in benches if bench.stack):
        yield f'<p class="quiet">Measured on {_html(text)}.</p>'
    yield "</section>"


def _target(bench: Bench, number: int) -> Iterator[str]:
    advice = advise(bench)
    yield f'<h3 id="payoff-{number}">{_html(bench.target)}</h3>'
    yield f'<p class="advice">{_worded(advice.advice)}.</p>'
    if not bench.measured[0].ran:
        return
    yield f'<p class="quiet">{_worded(inputs_text(bench))}.</p>'
    yield from _table("Times, and what starting costs", HEADS, rows(bench), number)
    yield from _ratios(bench)
    yield from _distributions(bench)
    each = list(set_rows(bench))
    if each:
        yield from _table("Median by input set", ("configuration", *bench.sets), each, number)
    yield from _table("What was compiled, and what it took", MORE_HEADS, more_rows(bench), number)
    lines = [line for line in (*advice.reasons, advice.roll_back) if line]
    if lines:
        yield "<ul>"
        yield from (f"<li>{_worded(line)}</li>" for line in lines)
        yield "</ul>"


def _table(caption: str, heads: Sequence[str], found: Iterable[Sequence[str]], number: int) -> Iterator[str]:
    yield f'<div class="scroll" role="region" aria-label="{caption}, target {number + 1}" tabindex="0">'
    yield f'<table class="measured">\n<caption>{caption}</caption>\n<thead><tr>'
    yield "".join(f'<th scope="col">{_html(head)}</th>' for head in heads) + "</tr></thead>\n<tbody>"
    for row in found:
        cells = "".join(f"<td>{_html(cell)}</td>" for cell in row[1:])
        yield f'<tr><th scope="row">{_coded(row[0])}</th>{cells}</tr>'
    yield "</tbody></table>\n</div>"


# ---------------------------------------------------------------------- charts


def _ratios(bench: Bench) -> Iterator[str]:
    """How many times eager, each with its interval, on one axis; the line stands at 1."""
    known = [(one, bench.overall[one.name]) for one in bench.measured if one.name in bench.overall]
    if not known:
        return
    low = min(1.0, *(interval.low for _, interval in known))
    high = max(1.0, *(interval.high for _, interval in known))
    room = (high - low) * 0.05 or 0.1
    x = _Scale(low - room, high + room)
    yield from _svg("Times as fast as eager, with 95 % intervals; the line is 1", len(known), x(1.0))
    for place, (one, interval) in enumerate(known):
        y = place * _ROW + _ROW // 2
        sure = "sure" if interval.low > 1.0 else "doubtful"
        speedup = f"{interval.estimate:.2f} times, 95 % {interval.low:.2f} to {interval.high:.2f}"
        yield _label(one, y)
        yield f'<g class="{sure}"><title>{_html(one.name)}: {speedup}</title>'
        yield f'<line x1="{x(interval.low):.1f}" x2="{x(interval.high):.1f}" y1="{y}" y2="{y}"/>'
        yield f'<circle cx="{x(interval.estimate):.1f}" cy="{y}" r="4"/></g>'
    yield from _axis(len(known), (f"{low:.2f}", x(low)), (f"{high:.2f}", x(high)))


def _distributions(bench: Bench) -> Iterator[str]:
    """All times of the first input set, a row a configuration; the line is eager's median."""
    ran = [one for one in bench.measured if one.ran]
    times = {one.name: one.times(0) for one in ran}
    low = min(min(found) for found in times.values())
    high = max(quantile(found, 0.99) for found in times.values())
    if high <= low:
        return
    x = _Scale(low, high)
    yield from _svg("How the times are spread (to the 99th percentile)", len(ran), x(quantile(times[ran[0].name], 0.5)))
    for place, one in enumerate(ran):
        y = place * _ROW
        found = times[one.name]
        yield _label(one, y + _ROW // 2)
        middle = quantile(found, 0.5)
        spread = f"median {seconds(middle)}, from {seconds(min(found))} to {seconds(max(found))}"
        yield f'<g class="spread"><title>{_html(one.name)}: {spread}</title>'
        yield from _bars(found, low, high, x, y)
        yield f'<line class="median" x1="{x(middle):.1f}" x2="{x(middle):.1f}" y1="{y + 2}" y2="{y + _ROW - 2}"/></g>'
    yield from _axis(len(ran), (seconds(low), x(low)), (seconds(high), x(high)))


def _bars(found: Sequence[float], low: float, high: float, x: _Scale, y: int) -> Iterator[str]:
    counts = [0] * _BINS
    for time in found:
        if time <= high:
            counts[min(int((time - low) / (high - low) * _BINS), _BINS - 1)] += 1
    most, wide = max(counts) or 1, (high - low) / _BINS
    for place, count in enumerate(counts):
        if count:
            tall = max(count / most * (_ROW - 6), 1.0)
            left, right = x(low + place * wide), x(low + (place + 1) * wide)
            top = y + _ROW - 3 - tall
            yield f'<rect x="{left:.1f}" y="{top:.1f}" width="{right - left:.1f}" height="{tall:.1f}"/>'


class _Scale:
    """From a number to its place on the axis, in units of the picture."""

    def __init__(self, low: float, high: float) -> None:
        self.low, self.high = low, high

    def __call__(self, value: float) -> float:
        return _LEFT + (value - self.low) / (self.high - self.low) * (_WIDTH - _LEFT - _MARGIN)


def _svg(title: str, count: int, line: float) -> Iterator[str]:
    tall = count * _ROW
    yield f'<figure><figcaption class="quiet">{title}</figcaption>'
    yield f'<div class="scroll" role="region" aria-label="{title}, chart" tabindex="0">'
    box = " ".join(map(str, (0, 0, _WIDTH, tall + 20)))
    yield f'<svg class="chart" role="img" aria-label="{title}" viewBox="{box}">'
    yield f'<line class="one" x1="{line:.1f}" x2="{line:.1f}" y1="0" y2="{tall}"/>'


def _label(one: Measured, y: int) -> str:
    whole = one.name.replace("`", "")
    name = whole if len(whole) <= 28 else whole[:27] + "…"
    return f'<text x="0" y="{y + 4}">{_html(name)}</text>'


def _axis(count: int, first: tuple[str, float], last: tuple[str, float]) -> Iterator[str]:
    y = count * _ROW + 15
    yield f'<text class="tick" x="{first[1]:.1f}" y="{y}">{_html(first[0])}</text>'
    yield f'<text class="tick" x="{last[1]:.1f}" y="{y}" text-anchor="end">{_html(last[0])}</text>'
    yield "</svg></div></figure>"


# ----------------------------------------------------------------------- texts


def _html(text: str) -> str:
    return html.escape(escaped(" ".join(text.split())))


def _worded(text: str) -> str:
    """As `_coded`; the first letter is a capital."""
    return _coded(text[:1].upper() + text[1:])


def _coded(text: str) -> str:
    """What stands between backticks is code."""
    return "".join(
        f"<code>{_html(part)}</code>" if number % 2 else html.escape(escaped(part))
        for number, part in enumerate(text.split("`"))
    )
