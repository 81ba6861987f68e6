"""Where a scope binds a name again, and from which place on the name means what it is bound to.

Read off statements, in the order of the source. Does not belong here: what a name is bound to (`optimized_modules`).
"""

from __future__ import annotations

from compilelint.survey.by_name import Placed, Spots
from compilelint.survey.deadline import look
from compilelint.survey.scopes import Spot, expressions
from compilelint.syntax import ir, places


def rebinds(key: str, seen: Spots, since: Spot | None = None) -> list[ir.Stmt]:
    """The statements of the scope that bind a name or attribute.

    Behind the spot `since`, if one is given, also what makes the name another one: imports and definitions of it,
    `del`, and new objects before its dot (`pipe = load()` is the end of the old `pipe.unet`). Before that these are
    what the name was compiled from. What stands in another arm of a test around the spot is left out.
    """
    look()
    found = {id(s): s for s in seen.assigning(key)}
    if since is None:
        return list(found.values())
    line = places.line_of(since.statement.pos)
    found |= {id(s): s for s, _ in seen.binding(key) if places.line_of(s.pos) > line}
    return [s for s in found.values() if not _in_other_arms(seen.placed(s), seen, since)]


def _in_other_arms(placed: Placed | None, seen: Spots, spot: Spot) -> bool:
    """Whether a test leads to a statement only where it does not lead to a spot."""
    s, blocks = placed or (spot.statement, ())
    own, other = (*spot.blocks, spot.statement), (*blocks, s)
    for number, (block, mine) in enumerate(zip(blocks, spot.blocks, strict=False)):
        if block is not mine:
            return False  # from here on they are apart
        if isinstance(block, ir.If) and seen.arm(own[number + 1]) != seen.arm(other[number + 1]):
            return True
    return False


def bound_by(s: ir.Stmt) -> int:
    """The place behind which a name means what a statement binds it to: what it is given is evaluated first."""
    values = [s.value] if isinstance(s, (ir.Assign, ir.AugAssign)) else []
    return max(one.pos for one in (s, *expressions(values)))
