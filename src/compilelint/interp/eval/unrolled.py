"""Loops of a host over a few known items: each pass by itself, so that a call in it sees what its own pass gives it.

A script calls a compiled function for each of three batches, or builds samples in a comprehension; joined, their sizes
and numbers would be no one's. Does not belong here: loops of compiled code, which are run to their fixpoint.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from compilelint.interp.core.frame import Frame
from compilelint.interp.core.state import State, join_states
from compilelint.interp.core.surroundings import Loop
from compilelint.interp.kinds.items import exact_items
from compilelint.values import Value

MOST_UNROLLED: Final = 16


def items_of(f: Frame, iterable: Value) -> tuple[Value, ...] | None:
    """What the passes of a loop get, one after the other; None where they are run together."""
    items = exact_items(f, iterable) if f.modes.host else None
    return items if items is not None and 0 < len(items) <= MOST_UNROLLED else None


def passes(f: Frame, items: tuple[Value, ...], run: Callable[[Value], None]) -> None:
    """Run a body for each of the items; `break` and `continue` are what they are."""
    exits: list[State] = []
    for item in items:
        if f.state is None:
            break
        loop = Loop()
        f.around.loops.append(loop)
        run(item)
        f.around.loops.pop()
        exits.extend(loop.breaks)
        f.state = join_states([f.state, *loop.continues])
    f.state = join_states([f.state, *exits])
