"""A callee that is one of several: a table's entry under a key that is not known, or what a test chose.

Exactly one of them is called. What happens in some of them is possible at the call, in most of them likely, in all of
them as sure as in the least sure; several graph breaks of one call are one event that names the choices it lies in.
Does not belong here: what a call of one callee does (`calls`).
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import replace

from compilelint.events import Choice, Event
from compilelint.interp.core.args import Args
from compilelint.interp.core.binding import accepts
from compilelint.interp.core.frame import Frame
from compilelint.interp.core.state import State, join_states
from compilelint.interp.kinds.items import doubted
from compilelint.model import Doubt
from compilelint.project.classes import ClassInfo, FunctionInfo
from compilelint.syntax import ir
from compilelint.values import (
    NONE,
    UNKNOWN,
    ClassRef,
    Const,
    External,
    FunctionRef,
    Instance,
    Object,
    Partial,
    Scalar,
    Union,
    Unknown,
    Value,
    join_all,
)

_NO_TENSOR = (Const, Scalar, Unknown)
_CODE = (FunctionRef, ClassRef, Object, Instance, External, Partial)


def call_one_of(f: Frame, callee: Union, args: Args, pos: int, node: ir.Call | None) -> Value:
    """Call each arm of a callee that is not known to be one of them; the results, joined."""
    arms = [a for a in callee.arms if a is not NONE and not isinstance(a, Const)]
    fitting = [a for a in arms if _fits(a, args)]
    arms = fitting or arms
    choices = [a for a in arms if isinstance(a, _CODE)]
    if len(choices) < 2:
        # A method of a tensor or of something else: how sure the receiver is a tensor says how sure its breaks are.
        cap, f.around.cap = f.around.cap, Doubt.SEVERAL_CALLEES.lower(f.around.cap)
        outer, one_path = f.gathered, _on_one_path(choices, arms, node)
        f.gathered = [] if one_path else outer
        found = [f.interp.call(f, a, args, pos, node) for a in arms]
        gathered_here, f.gathered = f.gathered, outer
        f.around.cap = cap
        for event in (gathered_here or ()) if one_path else ():
            f.emit(replace(event, site=replace(event.site, cap=Doubt.SOME_CALLEES.lower(event.site.cap))))
        return join_all(found) if found else UNKNOWN
    args = _uncorrelated(args)
    before, outer = f.state, f.gathered
    results: list[Value] = []
    ends: list[State | None] = []
    gathered: list[tuple[Value, list[Event]]] = []
    for arm in arms:
        f.state = None if before is None else before.copy()
        f.gathered = []
        results.append(f.interp.call(f, arm, args, pos, node))
        if f.doomed:  # it never returns: who goes on has called another one
            f.doomed = False
            f.state = None
        ends.append(f.state)
        gathered.append((arm, f.gathered))
    f.gathered = outer
    _rejoin(f, ends)
    for event in _folded(gathered):
        f.emit(event)
    return join_all(results)


def _on_one_path(choices: Sequence[Value], arms: Sequence[Value], node: ir.Call | None) -> bool:
    """Whether a variable holds a function on one path, and on another something that nothing is known of.

    An attribute that another method may set is no such choice: what the constructor stores is what it mostly holds.
    """
    local = node is not None and isinstance(node.func, ir.Name)
    return local and UNKNOWN in arms and any(isinstance(one, FunctionRef) for one in choices)


def _uncorrelated(args: Args) -> Args:
    """The arguments, tensors that may be something else doubted: one test mostly decides both, what and with what.

    `target = ones if self.kind == "bce" else True` never meets `self.loss` of another kind.
    """
    return Args(
        [_doubted_choice(v) for v in args.positional],
        {name: _doubted_choice(v) for name, v in args.keywords.items()},
        args.star,
        args.double_star,
    )


def _doubted_choice(value: Value) -> Value:
    if isinstance(value, Union) and any(isinstance(a, _NO_TENSOR) and a is not NONE for a in value.arms):
        return doubted(value, Doubt.CHOSEN_TOGETHER)
    return value


def _rejoin(f: Frame, ends: list[State | None]) -> None:
    """Go on behind the call; the statement is doomed where no choice returns."""
    joined = join_states(ends)
    if joined is None:
        f.doomed = True
    else:
        f.state = joined


def _fits(arm: Value, args: Args) -> bool:
    """Whether a choice can be called like this at all."""
    receiver: Value | None = None
    code: object = None
    if isinstance(arm, FunctionRef):
        code, receiver = arm.code, arm.receiver
    elif isinstance(arm, Object) and isinstance(arm.cls, ClassInfo):
        code, receiver = arm.cls.method("forward" if arm.cls.is_module else "__call__"), arm
    elif isinstance(arm, ClassRef) and isinstance(arm.cls, ClassInfo):
        code, receiver = arm.cls.method("__init__"), Object(arm.cls)
    return not isinstance(code, FunctionInfo) or accepts(code, receiver, args)


def _folded(gathered: list[tuple[Value, list[Event]]]) -> list[Event]:
    """The events of one call: the breaks of all choices as one, others once each, as sure as the choice leaves them."""
    breaking: list[tuple[Value, Event]] = []
    others: dict[Hashable, list[Event]] = {}
    for arm, events in gathered:
        breaks = [e for e in events if e.breaks]
        if breaks:
            breaking.append((arm, max(breaks, key=lambda e: e.site.cap)))
        kinds = {}
        for event in events:
            if not event.breaks:
                kinds[_kind(event)] = event
        for kind, event in kinds.items():
            others.setdefault(kind, []).append(event)
    out = [_as_sure(same, len(gathered)) for same in others.values()]
    if breaking:
        names = tuple(dict.fromkeys(_name(arm) for arm, _ in breaking))
        event = _as_sure([e for _, e in breaking], len(gathered))
        out.append(replace(event, site=replace(event.site, choice=Choice(names, len(gathered)))))
    return out


def _kind(event: Event) -> Hashable:
    return (event.__class__, None if event.outcome is None else id(event.outcome.verdict), getattr(event, "name", ""))


def _as_sure(same: list[Event], choices: int) -> Event:
    least = min(same, key=lambda e: e.site.cap)
    if len(same) == choices:
        return least
    doubt = Doubt.SEVERAL_CALLEES if 2 * len(same) > choices else Doubt.SOME_CALLEES
    return replace(least, site=replace(least.site, cap=doubt.lower(least.site.cap)))


def _name(arm: Value) -> str:
    if isinstance(arm, FunctionRef):
        return arm.code.qualified_name
    if isinstance(arm, (ClassRef, Object)):
        return arm.cls.qualified_name
    if isinstance(arm, Partial):
        return _name(arm.function)
    return arm.name if isinstance(arm, (External, Instance)) else "?"
