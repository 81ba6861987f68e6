"""Measurements for the HTML page: advice, numbers, and the distribution of times with its interval.

A chart is a picture for the eyes; the table above it says the same in numbers, and each mark has a title.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from compilelint.bench.advice import advise
from compilelint.bench.result import Bench, Measured
from compilelint.bench.statistics import quantile
from compilelint.bench.words import factor, seconds
from compilelint.report.layout.benches import HEADS, MORE_HEADS, inputs_text, more_rows, rows, set_rows, stack_text
from compilelint.report.layout.templating import first_upper

_WIDTH, _LEFT, _ROW = 720, 190, 26
_BINS = 48
_MARGIN = 24
_MOST_OF_ESTIMATE = 10.0  # how far right of an estimate its interval is drawn

View = dict[str, Any]


def bench_views(benches: Sequence[Bench]) -> View:
    """All targets, and what they were measured on."""
    return {
        "targets": [_target(bench, number) for number, bench in enumerate(benches, 1)],
        "stacks": list(dict.fromkeys(stack_text(bench) for bench in benches if bench.stack)),
    }


def _target(bench: Bench, number: int) -> View:
    advice = advise(bench)
    view: View = {"name": bench.target, "advice": first_upper(advice.advice), "ran": bench.measured[0].ran}
    if not view["ran"]:
        return view
    each = list(set_rows(bench))
    tables = [_table("Median by input set", ("configuration", *bench.sets), each)] if each else []
    charts = [{**chart, "target": number} for chart in (_ratios(bench), _distributions(bench)) if chart]
    return view | {
        "inputs": first_upper(inputs_text(bench)),
        "times": _table("Times, and what starting costs", HEADS, list(rows(bench))),
        "charts": charts,
        "tables": [*tables, _table("What was compiled, and what it took", MORE_HEADS, list(more_rows(bench)))],
        "lines": [line for line in (*advice.reasons, advice.roll_back) if line],
    }


def _table(caption: str, heads: Sequence[str], found: Sequence[Sequence[str]]) -> View:
    return {
        "caption": caption,
        "heads": heads,
        "rows": [[first_upper(row[0]) if "`" in row[0] else row[0], *row[1:]] for row in found],
    }


# ---------------------------------------------------------------------- charts


def _ratios(bench: Bench) -> View:
    """How many times eager, each with its interval, on one axis; the line stands at 1."""
    known = [(one, bench.overall[one.name]) for one in bench.measured if one.name in bench.overall]
    if not known:
        return {}
    low = min(1.0, *(interval.low for _, interval in known))
    # Few processes that differ much give an end in the millions, beside which nothing else could be seen.
    high = max(1.0, *(min(interval.high, _MOST_OF_ESTIMATE * interval.estimate) for _, interval in known))
    room = (high - low) * 0.05 or 0.1
    x = _Scale(low - room, high + room)
    marks = []
    for place, (one, interval) in enumerate(known):
        speedup = f"{interval.estimate:.2f} times, 95 % {factor(interval.low)} to {factor(interval.high)}"
        ends = {"low": x(interval.low), "high": x(min(interval.high, high)), "middle": x(interval.estimate)}
        kind = "sure" if interval.low > 1.0 else "doubtful"
        marks.append(_row(one, place, kind, speedup) | ends)
    axis = {"first": (f"{low:.2f}", x(low)), "last": (factor(high), x(high))}
    return _chart("Times as fast as eager, with 95 % intervals; the line is 1", x(1.0), marks) | axis


def _distributions(bench: Bench) -> View:
    """All times of the first input set, a row a configuration; the line is eager's median."""
    ran = [one for one in bench.measured if one.ran]
    times = {one.name: one.times(0) for one in ran}
    low = min(min(found) for found in times.values())
    high = max(quantile(found, 0.99) for found in times.values())
    if high <= low:
        return {}
    x = _Scale(low, high)
    marks = []
    for place, one in enumerate(ran):
        found = times[one.name]
        middle = quantile(found, 0.5)
        spread = f"median {seconds(middle)}, from {seconds(min(found))} to {seconds(max(found))}"
        bars = list(_bars(found, low, high, x, place * _ROW))
        marks.append(_row(one, place, "spread", spread) | {"bars": bars, "middle": x(middle)})
    axis = {"first": (seconds(low), x(low)), "last": (seconds(high), x(high))}
    title = "How the times are spread (to the 99th percentile)"
    return _chart(title, x(quantile(times[ran[0].name], 0.5)), marks) | axis


def _row(one: Measured, place: int, kind: str, words: str) -> View:
    """A configuration's row of a chart, before its marks are known; `words` say what is drawn."""
    name = one.name.replace("`", "")
    top = place * _ROW
    return {
        "label": name if len(name) <= 28 else name[:27] + "…",
        "title": f"{one.name}: {words}",
        "kind": kind,
        "y": top + _ROW // 2,
        "top": top + 2,
        "bottom": top + _ROW - 2,
        "bars": [],
        "low": "",
    }


def _chart(title: str, line: str, marks: Sequence[View]) -> View:
    return {"title": title, "width": _WIDTH, "height": len(marks) * _ROW, "line": line, "rows": marks}


def _bars(found: Sequence[float], low: float, high: float, x: _Scale, y: int) -> Iterator[tuple[str, str, str, str]]:
    """Left, top, width and height of each bar of a histogram."""
    counts = [0] * _BINS
    for time in found:
        if time <= high:
            counts[min(int((time - low) / (high - low) * _BINS), _BINS - 1)] += 1
    most, wide = max(counts) or 1, (high - low) / _BINS
    for place, count in enumerate(counts):
        if count:
            tall = max(count / most * (_ROW - 6), 1.0)
            left, right = x.at(low + place * wide), x.at(low + (place + 1) * wide)
            yield f"{left:.1f}", f"{y + _ROW - 3 - tall:.1f}", f"{right - left:.1f}", f"{tall:.1f}"


class _Scale:
    """From a number to its place on the axis, in units of the picture."""

    def __init__(self, low: float, high: float) -> None:
        self.low, self.high = low, high

    def at(self, value: float) -> float:
        return _LEFT + (value - self.low) / (self.high - self.low) * (_WIDTH - _LEFT - _MARGIN)

    def __call__(self, value: float) -> str:
        return f"{self.at(value):.1f}"
