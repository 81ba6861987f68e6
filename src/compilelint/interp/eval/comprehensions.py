"""Comprehensions and generator expressions, unrolled where the number of items is known."""

from __future__ import annotations

from dataclasses import replace

from compilelint.interp.core.frame import Frame, register_eval
from compilelint.interp.core.state import State
from compilelint.interp.eval import truth, unrolled
from compilelint.model import Confidence
from compilelint.syntax import ir
from compilelint.values import (
    BOTTOM,
    LAZY,
    Mapping,
    Sequence,
    SequenceKind,
    Tensor,
    Value,
    join_all,
    unsized,
)


@register_eval(ir.Comp)
def comprehension(f: Frame, n: ir.Comp) -> Value:
    """Interpreted in the enclosing frame, with names of its own; it is a loop to Dynamo."""
    first: Value | None = None
    if f.modes.host and len(n.clauses) == 1 and n.kind != "dict":
        first = f.eval(n.clauses[0].iterable)
        items_ = unrolled.items_of(f, first)
        if items_ is not None and f.state is not None:
            return _unrolled(f, n, items_)
    before, blocks, cap, epoch = f.here, f.around.blocks, f.around.cap, f.epoch
    f.state = before.copy()
    since = f.interp.symbols + 1
    broke = False
    exact: tuple[Value, ...] | None = None
    for clause in n.clauses:
        iterable = f.eval(clause.iterable) if first is None else first
        if clause is n.clauses[0] and f.state is not None:  # evaluated before the comprehension is called
            before.broke, before.skipped = f.state.broke, f.state.skipped
            f.state.broke = False
        f.around.blocks = (*blocks, "comprehension")
        if len(n.clauses) == 1 and not clause.conditions and isinstance(iterable, Sequence):
            exact = iterable.items
        f.interp.assign(f, clause.target, f.interp.iterate(f, iterable, clause.iterable.pos), n.pos)
        for condition in clause.conditions:
            truth.decide(f, condition, "comprehension")
            truth.assume(f, condition, True)
            if f.state is None:
                break
        if f.state is None:
            break
    element: Value = BOTTOM
    second: Value = BOTTOM
    if f.state is not None:
        element = unsized(f.eval(n.element), since)
        if n.value is not None:
            second = unsized(f.eval(n.value), since)
        broke = f.state.broke
    _keep_walrus_names(n, before, f.state)
    truth.merge_back(f, before, epoch)
    f.around.blocks, f.around.cap = blocks, cap
    if broke:  # a function of its own in Python 3.11; what consumes a generator cannot be split
        f.trace.comprehended(n.pos, n.clauses[0].iterable.pos, splits=n.kind != "generator")
        f.left(cap > Confidence.POSSIBLE, splits=n.kind != "generator")
    if n.kind == "dict":
        return Mapping((), second)
    kind = LAZY if n.kind == "generator" else n.kind
    if exact is not None and len(exact) <= 8 and n.kind != "set":
        return Sequence(kind, _each(n, element, len(exact)), BOTTOM)
    return Sequence(kind, None, element)


def _each(n: ir.Comp, element: Value, count: int) -> tuple[Value, ...]:
    """The items of a comprehension: one belief of all, a tensor of its own each, unless all are one outer name's."""
    own = {one.id for clause in n.clauses for one in _flat(clause.target) if isinstance(one, ir.Name)}
    outer = isinstance(n.element, ir.Name) and n.element.id not in own
    if outer or not isinstance(element, Tensor):
        return tuple([element] * count)
    return tuple(replace(element) for _ in range(count))


def _unrolled(f: Frame, n: ir.Comp, items_: tuple[Value, ...]) -> Value:
    """A comprehension of a host over a few known items; one that tests them may leave some out."""
    clause, before = n.clauses[0], f.here
    f.state = before.copy()
    found: list[Value] = []
    exact = True
    for item in items_:
        f.interp.assign(f, clause.target, item, n.pos)
        decided = [truth.decide(f, condition, "comprehension") for condition in clause.conditions]
        if False in decided:
            continue
        exact = exact and None not in decided
        found.append(f.eval(n.element))
    _keep_walrus_names(n, before, f.state)
    f.state = before
    if n.kind == "set":
        return Sequence("set", None, join_all(found))
    kind: SequenceKind = LAZY if n.kind == "generator" else "list"
    return Sequence(kind, tuple(found), BOTTOM) if exact else Sequence(kind, None, join_all(found))


def _keep_walrus_names(n: ir.Comp, before: State, end: State | None) -> None:
    """`:=` in a comprehension binds in the function; the loop targets stay inside."""
    if end is None:
        return
    own = {t.id for c in n.clauses for t in _flat(c.target) if isinstance(t, ir.Name)}
    for name, value in end.names.items():
        if name not in before.names and name not in own:
            before.names[name] = value


def _flat(target: ir.Expr) -> list[ir.Expr]:
    return [t for item in target.items for t in _flat(item)] if isinstance(target, ir.Display) else [target]
