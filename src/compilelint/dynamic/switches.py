"""One change at a time: which of Dynamo's switches removes which break, and which few of them lead to one graph.

Pure data: what to try, and what the tries mean. Each change runs in the same worker as the target itself.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from compilelint.model import Fate, ObservedBreak, TargetRun
from compilelint.torchfacts.explanations import callables_in
from compilelint.torchfacts.switches import cures, takes

Place = tuple[str, int]
_KEPT_OR_DROPPED = ("reorderable_logging_functions", "ignore_logging_functions")  # what is written stays, or is lost


@dataclass(frozen=True, slots=True)
class Change:
    """A change, in the words in which one would make it, and what it means for a job (see `protocol.Job`)."""

    name: str
    changes: Mapping[str, Any] = field(default_factory=dict, hash=False)


def setting_of(name: str, value: bool | tuple[str, ...]) -> Change:
    """The change that gives a setting of Dynamo's a value: a truth value, or functions by their names."""
    if isinstance(value, bool):
        return Change(f"torch._dynamo.config.{name} = {value}", {"config": {name: value}})
    shown = ", ".join(one.removeprefix("builtins.") for one in value)
    return Change(f"torch._dynamo.config.{name} = {{{shown}}}", {"config": {name: list(value)}})


CHANGES = (
    setting_of("capture_scalar_outputs", True),
    setting_of("capture_dynamic_output_shape_ops", True),
    setting_of("allow_rnn", True),
    Change("torch.compile(dynamic=True)", {"dynamic": True}),
)


def changes_for(run: TargetRun) -> tuple[Change, ...]:
    """The changes to try on a target: those that may help anywhere, and the settings that cure its own breaks."""
    found = {one.name: one for one in CHANGES}
    for seen in run.own_breaks:
        cured = [setting_of(name, value) for name, value in cures(seen.break_id, run.torch or "")]
        for called in callables_in(seen.explanation):
            takers = [one for one in _KEPT_OR_DROPPED if takes(one, called, run.torch or "")]
            cured += [setting_of(one, (called if "." in called else f"builtins.{called}",)) for one in takers[:1]]
        found |= {one.name: one for one in cured}
    return tuple(found.values())


AGAINST_RECOMPILES = (setting_of("allow_unspec_int_on_nn_module", True),)
"""What may keep code from being compiled again for numbers that a module changes."""


@dataclass(frozen=True, slots=True)
class Effect:
    """What a change does to a target: breaks it removes and adds; `run` is the run with the change made."""

    name: str
    run: TargetRun
    removed: tuple[ObservedBreak, ...]
    added: tuple[ObservedBreak, ...]

    @property
    def helps(self) -> bool:
        """It ran, removes something, adds nothing, and gives what eager gives."""
        agrees = self.run.parity is None or not self.run.parity.divergences
        return self.run.fate is Fate.RAN and bool(self.removed) and not self.added and agrees


@dataclass(frozen=True, slots=True)
class Tries:
    """All changes tried on one target, the shortest way found, and how many breaks are left with it taken.

    `together` is the run with the whole way taken, where that is more than one change.
    """

    before: TargetRun
    effects: tuple[Effect, ...]
    way: tuple[Effect, ...]
    left: int
    together: TargetRun | None = None


def effect_of(name: str, before: TargetRun, after: TargetRun, *, moved: bool = False) -> Effect:
    """Compare two runs of one target by the places of their breaks.

    `moved` says that lines may have moved: then breaks are distinguished by function and statement instead.
    """
    first, second = (_statements(before), _statements(after)) if moved else (_places(before), _places(after))
    return Effect(
        name,
        after,
        tuple(one for place, one in first.items() if place not in second),
        tuple(one for place, one in second.items() if place not in first),
    )


def _places(run: TargetRun) -> dict[Any, ObservedBreak]:
    return {(one.path, one.first_line): one for one in run.own_breaks}


def _statements(run: TargetRun) -> dict[Any, ObservedBreak]:
    """The breaks by what does not move with lines; the same statement twice in a function is counted."""
    found: dict[Any, ObservedBreak] = {}
    for one in _places(run).values():
        key = (one.path, one.function, " ".join(one.statement.split()))
        found[key, sum(other == key for other, _ in found)] = one
    return found


def shortest(before: TargetRun, effects: Sequence[Effect]) -> tuple[Effect, ...]:
    """The fewest changes that remove most: greedily, the one that removes most of what is left, then the next."""
    left = set(_places(before))
    chosen: list[Effect] = []
    useful = [one for one in effects if one.helps]
    while left and useful:
        best = max(useful, key=lambda one: len(left & _removed(one)))
        if not left & _removed(best):
            break
        chosen.append(best)
        useful.remove(best)
        left -= _removed(best)
    return tuple(chosen)


def together(chosen: Sequence[Change]) -> dict[str, Any]:
    """Several changes as one."""
    merged: dict[str, Any] = {}
    for one in chosen:
        for name, value in one.changes.items():
            merged[name] = {**merged.get(name, {}), **value} if isinstance(value, dict) else value
    return merged


def _removed(effect: Effect) -> set[Place]:
    return {(one.path, one.first_line) for one in effect.removed}
