"""What an owner would do first: which of the tasks a first page shows, and how many it counts instead, by reason."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from compilelint.model import Confidence, Finding
from compilelint.model.slotted import dataclass
from compilelint.report.layout.folding import folded
from compilelint.report.layout.text import escaped
from compilelint.report.overview.overview import Overview
from compilelint.report.overview.work import COMPILED, GUESSED, Task, is_negligible

_MOST_SWITCHES = 3


@dataclass(frozen=True, slots=True)
class Choice:
    """`tasks` are those to show, in order; `small` counts what costs less than a measurement shows, `models` what is in
    models that are not compiled, beside what is, `guessed` what is of code that nothing compiles; `off` are behind
    switches that are off by default.
    """

    tasks: tuple[Task, ...]
    small: int
    models: int
    guessed: int
    off: tuple[Task, ...]

    @property
    def counts(self) -> list[str]:
        """`3 of less than 0.05 ms a step`, and so on."""
        return list(self._counts())

    def _counts(self) -> Iterator[str]:
        if self.small:
            yield f"{self.small:,} of less than 0.05 ms a step"
        if self.off:
            yield f"{len(self.off):,} behind switches that are off by default ({_named(self.off)})"
        if self.models:
            yield f"{self.models:,} in models that this code does not compile"
        if self.guessed:
            yield f"{self.guessed:,} in functions that no linted code compiles"


def choice(one: Overview) -> Choice:
    """The tasks whose findings are likely and not folded: of what is compiled, else of models."""
    folds = {id(finding) for fold in folded(one.report)[1] for finding in fold.findings}

    def is_shown(finding: Finding) -> bool:
        return id(finding) not in folds and finding.confidence >= Confidence.LIKELY

    tasks = [shown for task in one.tasks if (shown := task.only(is_shown)) is not None]
    due = [task for task in tasks if task.tier == COMPILED] or [task for task in tasks if task.tier < GUESSED]
    guessed = [task for task in tasks if task.tier == GUESSED]
    named = [task for task in guessed if one.is_candidate(task)]
    chosen = due or named
    on = [task for task in chosen if not task.off]
    off = [task for task in chosen if task.off]
    kept = [task for task in on if not is_negligible(task)] or on
    compiled = bool(due) and due[0].tier == COMPILED
    models = sum(task.tier == COMPILED + 1 for task in one.tasks) if compiled else 0
    beside = len(guessed) - (len(named) if chosen is named else 0)
    return Choice(tuple(kept), len(on) - len(kept), models, beside, tuple(off))


def _named(off: Sequence[Task]) -> str:
    """The first of the switches."""
    names = [f"`{escaped(name)}`" for name in dict.fromkeys(task.off for task in off)]
    return ", ".join(names[:_MOST_SWITCHES]) + (" and more" if len(names) > _MOST_SWITCHES else "")


def ranks(one: Overview) -> dict[int, int]:
    """The place of each finding in the order of work, from 1, by its identity: what the first page shows, in its order,
    then everything else. Findings that one change answers share a place; notes about the tool, and what a run refuted,
    have none.
    """
    places: dict[int, int] = {}
    for number, task in enumerate((*choice(one).tasks, *one.tasks), 1):
        for finding in (task.finding, *task.others):
            places.setdefault(id(finding), number)
    dense = {number: place for place, number in enumerate(sorted(set(places.values())), 1)}
    return {finding: dense[number] for finding, number in places.items()}
