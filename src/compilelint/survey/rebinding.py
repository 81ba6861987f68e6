"""Where a scope binds a name again, and from which place on the name means what it is bound to.

Read off statements, in the order of the source. Does not belong here: what a name is bound to (`optimized_modules`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from compilelint.survey.deadline import look
from compilelint.survey.scopes import Spot, expressions, statements
from compilelint.syntax import ir, places
from compilelint.syntax.walk import dotted_name


def rebinds(key: str, seen: Sequence[Spot], since: Spot | None = None) -> list[ir.Stmt]:
    """The statements of the scope that bind a name or attribute.

    Behind the spot `since`, if one is given, also what makes the name another one: imports and definitions of it,
    `del`, and new objects before its dot (`pipe = load()` is the end of the old `pipe.unet`). Before that these are
    what the name was compiled from. What stands in another arm of a test around the spot is left out.
    """
    found: dict[int, ir.Stmt] = {}
    for spot in seen:
        look()
        s = spot.statement
        single = (s.target,) if isinstance(s, (ir.For, ir.AugAssign)) else ()
        targets = s.targets if isinstance(s, ir.Assign) else single
        if any(dotted_name(one) == key for target in targets for one in _unpacked(target)):
            found[id(s)] = s
    if since is not None:
        line, scope = places.line_of(since.statement.pos), since.scope
        for s, blocks in statements(scope.body):
            if places.line_of(s.pos) > line and any(key == one or key.startswith(f"{one}.") for one in _binds(s)):
                found[id(s)] = s
            if id(s) in found and _in_other_arms(s, blocks, since):
                del found[id(s)]
    return list(found.values())


def _in_other_arms(s: ir.Stmt, blocks: tuple[ir.Stmt, ...], spot: Spot) -> bool:
    """Whether a test leads to a statement only where it does not lead to a spot."""
    for block in blocks:
        if isinstance(block, ir.If) and any(block is one for one in spot.blocks):
            arms = [*(body for _, body in block.arms), block.other]
            own, others = (
                [number for number, one in enumerate(arms) if _stands_in(each, one)] for each in (spot.statement, s)
            )
            if own != others:
                return True
    return False


def _stands_in(s: ir.Stmt, body: ir.Body) -> bool:
    return any(one is s for one, _ in statements(body))


def bound_by(s: ir.Stmt) -> int:
    """The place behind which a name means what a statement binds it to: what it is given is evaluated first."""
    values = [s.value] if isinstance(s, (ir.Assign, ir.AugAssign)) else []
    return max(one.pos for one in (s, *expressions(values)))


def _binds(s: ir.Stmt) -> Iterator[str]:
    """The names that a statement binds or deletes, as written."""
    if isinstance(s, (ir.Function, ir.Class)):
        yield s.name
    elif isinstance(s, (ir.Import, ir.ImportFrom)):
        yield from (other or name.partition(".")[0] for name, other in s.names)
    elif isinstance(s, (ir.Assign, ir.Delete)):
        yield from (dotted_name(one) for target in s.targets for one in _unpacked(target))
    elif isinstance(s, ir.For):
        yield from map(dotted_name, _unpacked(s.target))
    elif isinstance(s, ir.With):
        yield from (dotted_name(one) for _, held in s.items if held is not None for one in _unpacked(held))


def _unpacked(target: ir.Expr) -> Iterator[ir.Expr]:
    """A target, or the targets in a tuple of them."""
    if isinstance(target, ir.Display):
        for one in target.items:
            yield from _unpacked(one)
    else:
        yield target.value if isinstance(target, ir.Star) else target
