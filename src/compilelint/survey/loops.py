"""How many values a loop goes over, where they are written down."""

from __future__ import annotations

from compilelint.syntax import ir
from compilelint.syntax.walk import last_name


def values_of(over: ir.Expr) -> int | None:
    """The number of different values of a tuple or list of constants, or of a `range` of constants; None if unknown."""
    if isinstance(over, ir.Display):
        values = [one.value for one in over.items if isinstance(one, ir.Const)]
        return len(set(values)) if len(values) == len(over.items) else None
    if isinstance(over, ir.Call) and last_name(over.func) == "range" and not over.keywords:
        bounds = [one.value for one in over.args if isinstance(one, ir.Const) and isinstance(one.value, int)]
        if len(bounds) == len(over.args) and 1 <= len(bounds) <= 3 and bounds[2:] != [0]:
            return len(range(*bounds))
    return None
