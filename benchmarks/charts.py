"""Two charts as SVG, drawn by hand: bars on a logarithmic scale, and points joined by lines.

Each is drawn for a light and for a dark page, since the README picks one (`<picture>`); text is text, colours are
distinguishable to everyone (blue and orange), and every bar and line says in words what it is.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from xml.sax.saxutils import escape

_WIDTH = 760
_LABELS = 250  # room for the names of bars
_FONT = "font-family='-apple-system, Segoe UI, Helvetica, Arial, sans-serif' font-size='13'"


@dataclass(frozen=True)
class Palette:
    """The colours of a page."""

    text: str
    faint: str
    ours: str
    others: str


LIGHT = Palette("#1f2328", "#d1d9e0", "#0969da", "#bc4c00")
DARK = Palette("#e6edf3", "#3d444d", "#4493f8", "#f0883e")


@dataclass(frozen=True)
class Bar:
    """A value above zero and what it is of; `ours` sets it off from the others."""

    name: str
    value: float
    ours: bool = False


def bars(title: str, unit: str, rows: Sequence[Bar], palette: Palette) -> str:
    """Horizontal bars on a logarithmic scale that begins at a power of ten. Raises ValueError where there are none."""
    if not rows:
        raise ValueError("a chart without bars")
    low = math.floor(math.log10(min(row.value for row in rows)) - 1e-9)
    high = math.ceil(math.log10(max(row.value for row in rows)) + 1e-9)
    top, step = 44, 26
    bottom = top + step * len(rows)

    def x(value: float) -> float:
        return _LABELS + (_WIDTH - _LABELS - 70) * (math.log10(value) - low) / (high - low)

    parts = [_text(16, 22, title, palette.text, weight="600")]
    for power in range(low, high + 1):
        at = x(10.0**power)
        parts.append(_line(at, top - 6, at, bottom, palette.faint))
        parts.append(_text(at, bottom + 18, f"{10.0**power:g}", palette.text, anchor="middle"))
    parts.append(_text(_WIDTH - 8, bottom + 36, f"{unit}, logarithmic scale", palette.text, anchor="end"))
    for number, row in enumerate(rows):
        y = top + step * number
        colour = palette.ours if row.ours else palette.others
        end = x(row.value)
        parts.append(_text(_LABELS - 10, y + 14, row.name, palette.text, "end", "600" if row.ours else "400"))
        parts.append(f"<rect x='{_LABELS}' y='{y + 2}' width='{end - _LABELS:.1f}' height='16' fill='{colour}'/>")
        parts.append(_text(end + 6, y + 14, f"{row.value:.2f}", palette.text))
    return _picture(title, bottom + 48, parts)


@dataclass(frozen=True)
class Line:
    """Points joined by a line, from left to right."""

    name: str
    points: Sequence[tuple[float, float]]
    ours: bool = False


def lines(title: str, across: str, up: str, drawn: Sequence[Line], palette: Palette) -> str:
    """Lines over axes that begin at zero. Raises ValueError where there is nothing to draw."""
    if not any(line.points for line in drawn):
        raise ValueError("a chart without points")
    widest = _round(max(x for line in drawn for x, _ in line.points))
    highest = _round(max(y for line in drawn for _, y in line.points))
    left, right, top, bottom = 56, _WIDTH - 200, 44, 284

    def x(value: float) -> float:
        return left + (right - left) * value / widest

    def y(value: float) -> float:
        return bottom - (bottom - top) * value / highest

    parts = [_text(16, 22, title, palette.text, weight="600")]
    for share in range(6):
        over, high = widest * share / 5, highest * share / 5
        parts.append(_line(left, y(high), right, y(high), palette.faint))
        parts.append(_text(left - 8, y(high) + 4, f"{high:g}", palette.text, "end"))
        parts.append(_text(x(over), bottom + 18, f"{over:g}", palette.text, "middle"))
    parts.append(_text(right, bottom + 36, across, palette.text, "end"))
    parts.append(_text(left - 8, top - 10, up, palette.text))
    for line in drawn:
        colour = palette.ours if line.ours else palette.others
        path = " ".join(f"{x(a):.1f},{y(b):.1f}" for a, b in line.points)
        parts.append(f"<polyline points='{path}' fill='none' stroke='{colour}' stroke-width='2'/>")
        parts += [f"<circle cx='{x(a):.1f}' cy='{y(b):.1f}' r='4' fill='{colour}'/>" for a, b in line.points]
        last = line.points[-1]
        parts.append(_text(x(last[0]) + 10, y(last[1]) + 4, line.name, palette.text))
    return _picture(title, bottom + 48, parts)


def _round(value: float) -> float:
    """The next larger number with one digit that five steps divide well."""
    power = 10.0 ** math.floor(math.log10(value))
    return next(step * power for step in (1, 2, 2.5, 5, 10) if step * power >= value)


def _text(x: float, y: float, text: str, colour: str, anchor: str = "start", weight: str = "400") -> str:
    place = f"x='{x:.1f}' y='{y:.1f}' text-anchor='{anchor}' font-weight='{weight}'"
    return f"<text {place} fill='{colour}'>{escape(text)}</text>"


def _line(x: float, y: float, to_x: float, to_y: float, colour: str) -> str:
    return f"<line x1='{x:.1f}' y1='{y:.1f}' x2='{to_x:.1f}' y2='{to_y:.1f}' stroke='{colour}'/>"


def _picture(title: str, height: float, parts: Sequence[str]) -> str:
    head = f"<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {_WIDTH} {height:.0f}' role='img' {_FONT}>"
    return "\n".join([head, f"<title>{escape(title)}</title>", *parts, "</svg>"]) + "\n"
