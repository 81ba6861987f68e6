"""What is compiled twice: a wrapper that is given to `torch.compile`, or a model that was compiled in place before.

Measured on torch 2.13 and 2.15: of nested calls the outer one's arguments count, and a compiled module becomes a plain
function; of a model that was compiled in place the first call's count. Only calls that surely come one after the other
are said to: compiled blocks in a model that is compiled whole are another matter.
"""

from __future__ import annotations

from collections.abc import Iterator

from compilelint.events import Compile
from compilelint.model import Confidence
from compilelint.survey.by_name import Spots
from compilelint.survey.compile_forms import compiled_by, compiled_in_place
from compilelint.survey.deadline import look
from compilelint.survey.optimized_modules import Wrapper, Wrappers
from compilelint.survey.rebinding import rebinds
from compilelint.survey.scopes import Spot, argument
from compilelint.syntax import ir, places
from compilelint.syntax.walk import dotted_name


def compiled_twice(wrappers: Wrappers, spots: Spots) -> Iterator[Compile]:
    """The compile calls of one scope that are given what is compiled already."""
    for spot, call in spots.calls:
        look()
        whole = compiled_by(spot.scope, call)
        target = None if whole is None else argument(whole, 0, "model")
        if target is None:
            continue
        if isinstance(target, ir.Call):
            if compiled_by(spot.scope, target) is not None:
                place = spot.scope.module.ir.location(target.pos)
                inner = argument(target, 0, "model")
                name = dotted_name(inner) if inner is not None else ""
                yield Compile(spot.site(), None, "again", name, other=place)
            continue
        key = dotted_name(target)
        wrapper = next((one for one in wrappers.named(key, spot.scope) if _held(one, spot)), None) if key else None
        if wrapper is not None:
            yield Compile(spot.site(), None, "again", key, other=wrapper.made)
        elif key:
            before = _in_place(key, spot, spots)
            if before is not None:
                at = spot.scope.module.ir.location(before.expr.pos)
                yield Compile(spot.site(), None, "again-in-place", key, other=at)


def _held(wrapper: Wrapper, spot: Spot) -> bool:
    """Whether a name surely holds the wrapper where it is compiled once more."""
    return (
        wrapper.scope is spot.scope
        and not wrapper.conditional
        and wrapper.holds_at(spot.scope, spot.expr.pos) is Confidence.CERTAIN
    )


def _in_place(key: str, spot: Spot, spots: Spots) -> Spot | None:
    """The statement `model.compile()` before a spot, with nothing between that binds the name again."""
    here = places.line_of(spot.statement.pos)
    for one in spots.once(_compiled_in_place).get(key, ()):
        look()
        line = places.line_of(one.expr.pos)
        if line < here:
            bound = [places.line_of(s.pos) for s in rebinds(key, spots, one)]
            return None if any(line < other < here for other in bound) else one
    return None


def _compiled_in_place(spots: Spots) -> dict[str, list[Spot]]:
    """The statements `model.compile()` of a scope that no block holds, by what they compile."""
    found: dict[str, list[Spot]] = {}
    for spot, call in spots.calls:
        if not spot.blocks and isinstance(spot.statement, ir.ExprStmt) and spot.statement.value is call:
            found.setdefault(compiled_in_place(spot.scope, call), []).append(spot)
    return found
