"""Times, counts and places as people read them."""

from __future__ import annotations

import os

_MOST_FACTOR = 1000


def seconds(value: float) -> str:
    """A time with the unit that fits, to three digits."""
    for unit, size in (("s", 1.0), ("ms", 1e-3)):
        if abs(value) >= 0.9995 * size:  # what rounds to 1000 of a unit is 1 of the next
            return f"{value / size:,.0f} {unit}" if abs(value) >= 999.5 * size else f"{value / size:.3g} {unit}"
    return f"{value * 1e6:.3g} µs"


def factor(value: float) -> str:
    """How many times as fast; beyond 1000 either way the times say no more than that."""
    if value > _MOST_FACTOR:
        return f"over {_MOST_FACTOR}"
    return f"under {1 / _MOST_FACTOR:g}" if value < 1 / _MOST_FACTOR else f"{value:.2f}"


def calls(number: float) -> str:
    """How many calls, no more exactly than times are known: three digits, then zeros."""
    whole = round(number)
    whole = round(whole, min(3 - len(str(whole)), 0))
    return f"{whole:,} call{'' if whole == 1 else 's'}"


def place_of(path: str, line: int) -> str:
    """Counted from the current folder where it lies below it."""
    below = os.path.relpath(path) if path.startswith(os.getcwd().rstrip("/") + "/") else path
    return f"{below}:{line}"
