"""Whether two IRs are the same, places included, and what of an earlier one a later one can go on with.

Comments, docstrings and what stands between statements are no part of an IR: an edit of these alone leaves it the same.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

from compilelint.syntax import ir


def same(one: Any, other: Any) -> bool:
    """Whether two nodes, or tuples of them, say the same at the same places; iterative."""
    left = [(one, other)]
    while left:
        mine, its = left.pop()
        if mine is its:
            continue
        kind = mine.__class__
        if kind is not its.__class__:
            return False
        if kind is tuple:
            if len(mine) != len(its):
                return False
            left += zip(mine, its, strict=True)
        elif kind in _FIELDS:
            left += [(getattr(mine, name), getattr(its, name)) for name in _FIELDS[kind]]
        elif mine != its:
            return False
    return True


_FIELDS: dict[type[Any], tuple[str, ...]] = {
    kind: kind.__match_args__
    for kind in vars(ir).values()
    if isinstance(kind, type) and kind.__module__ == ir.__name__ and hasattr(kind, "__match_args__")
}


def going_on(before: ir.Module, after: ir.Module) -> ir.Module:
    """The module after an edit: the one before where it is the same, else with its functions and classes that are."""
    after = replace(after, body=_with_known(before.body, after.body))
    return before if same(before, after) else after


def _with_known(before: ir.Body, after: ir.Body) -> ir.Body:
    """The later statements, those replaced that stand in the earlier ones as they are."""
    known = {one.pos: one for one in before}
    classes = {one.qualname: one for one in before if isinstance(one, ir.Class)}
    found: list[ir.Stmt] = []
    for one in after:
        old = known.get(one.pos)
        if old is not None and same(old, one):
            found.append(old)
        elif isinstance(one, ir.Class) and one.qualname in classes:
            found.append(replace(one, body=_with_known(classes[one.qualname].body, one.body)))
        else:
            found.append(one)
    return tuple(found)


class Edit(NamedTuple):
    """A function whose body alone has changed: its node before and after, and the classes and the module around it."""

    before: ir.Function
    after: ir.Function
    around: tuple[ir.Class | ir.Module, ...]


_OF_BODY = frozenset({"pos", "body", "local_names"})


def edits(before: ir.Module, after: ir.Module) -> list[Edit] | None:
    """The functions in which two modules differ; None where they differ in anything else."""
    if len(before.body) != len(after.body):
        return None
    found: list[Edit] = []
    places: list[tuple[Any, int]] = []
    left: list[tuple[Any, Any, tuple[Any, ...]]] = [
        (*pair, (before,)) for pair in zip(before.body, after.body, strict=True)
    ]
    while left:
        mine, its, around = left.pop()
        if mine is its or same(mine, its):
            continue
        kind = mine.__class__
        if kind is not its.__class__ or kind not in (ir.Function, ir.Class):
            return None
        own = _OF_BODY if kind is ir.Function else ("pos", "body")
        if any(not same(getattr(mine, name), getattr(its, name)) for name in _FIELDS[kind] if name not in own):
            return None
        if kind is ir.Function:
            found.append(Edit(mine, its, around))
        elif len(mine.body) != len(its.body):
            return None
        else:
            places.append((mine, its.pos))
            left += [(*pair, (*around, mine)) for pair in zip(mine.body, its.body, strict=True)]
    for node, place in places:  # where a class ends, and nothing else
        node.pos = place
    return found


def put_lines(before: Any, after: ir.Module) -> None:
    """Give the module that was there before an edit the lines of the one after it."""
    before.wide_lines, before.numbers = after.wide_lines, after.numbers


def put(edit: Edit) -> None:
    """Put the new body into the node that was there before, so that all that refer to it go on."""
    mine: Any = edit.before
    for name in _OF_BODY:
        setattr(mine, name, getattr(edit.after, name))
    for node in (mine, *edit.around):
        if hasattr(node, "facts"):
            del node.facts
