"""Loops in which Dynamo splits a frame after all: a `return` stands between the line and the end of the loop.

Where a graph ends, Dynamo asks whether the frame jumps back from there, and gives up the whole frame if it does. It
reads the instructions that follow up to the first that returns (`maybe_has_backedge`, torch 2.9 to 2.15). So an early
`return` hides the end of the loop from it, and each break before that `return` splits the frame as it would outside of
a loop. Does not belong here: what a split or a lost frame comes to, which the frame keeps.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from compilelint.syntax import ir
from compilelint.syntax.walk import blocks_of

LOOPS: Final = frozenset({"for", "while"})

_Loops = tuple[int, ...]  # where the loops around a statement begin, outermost first


def before_returns(function: ir.Function) -> frozenset[int]:
    """Where the statements in loops begin behind which a `return` comes before any jump back."""
    lines = list(_instructions(function.body, ()))
    found: set[int] = set()
    back: dict[int, int] = {}  # by loop, the next jump to its head
    returned = len(lines)
    for number, (pos, loops, jump) in reversed(list(enumerate(lines))):
        if jump is None:
            if loops and returned < min(back.get(loop, returned) for loop in loops):
                found.add(pos)
        elif jump < 0:
            returned = number
        else:
            back[jump] = number
    return frozenset(found)


def _instructions(body: ir.Body, loops: _Loops) -> Iterator[tuple[int, _Loops, int | None]]:
    """The statements in the order of their instructions, with their loops; then where they jump to, -1 to return."""
    for s in body:
        yield s.pos, loops, None
        if isinstance(s, ir.Return):
            yield s.pos, loops, -1
        elif isinstance(s, ir.Jump) and s.kind == "continue" and loops:
            yield s.pos, loops, loops[-1]
        elif isinstance(s, (ir.For, ir.While)):
            yield from _instructions(s.body, (*loops, s.pos))
            yield s.pos, loops, s.pos
            yield from _instructions(s.other, loops)
        else:
            for block in blocks_of(s):
                yield from _instructions(block, loops)
