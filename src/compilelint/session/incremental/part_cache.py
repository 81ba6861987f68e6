"""The cache of parts: those of a project that need not be analysed again, their answers being an earlier run's.

An answer of a part depends on its files, on all that these made it read and look up, and on whether other parts have
reached the functions that it asked about. Where all of it is as it was, the part is not even read. Of linted files of
other parts it counts definition by definition what was read (`project.reads`); where these stand elsewhere after an
edit, so does what is remembered. Where another part has reached something else by the time of a later stage, the part
is analysed after all, from its first question on.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from compilelint.cache import NoFindingError, decoded, encoded
from compilelint.cache.encoding import Json, number_of, text_of
from compilelint.model.slotted import dataclass
from compilelint.project.outline import NOTHING, Unit
from compilelint.project.reads import Moves, moves
from compilelint.session.incremental.moved import Moved
from compilelint.session.incremental.run_cache import (
    KeptPart,
    RunCache,
    decoded_call,
    decoded_notice,
    decoded_root,
    encoded_call,
    encoded_notice,
    encoded_root,
    unreadable_of,
)
from compilelint.session.parallel.in_process import Asked, Question, Taken, as_it_is, stage_of
from compilelint.session.parallel.module_cache import ModuleCache
from compilelint.session.parallel.outcome import DependsOn, Outcome, Stage
from compilelint.session.parallel.part import Request
from compilelint.session.pipeline.inputs import Linted


class PartCache:
    """Asks `executor` only about parts of which nothing is remembered; satisfies `Asked`."""

    def __init__(
        self,
        executor: Asked,
        cache: RunCache,
        request: Request,
        parts: Sequence[Sequence[Linted]],
        modules: ModuleCache,
    ) -> None:
        self._executor = executor
        self._cache = cache
        self._keys = [_part_key(request, part) for part in parts]
        self._linted = {file.dotted: file.path for part in parts for file in part}
        own = [frozenset([file.path for file in part]) for part in parts]
        self._known = [
            _read(cache, key, self._linted, mine, modules) for key, mine in zip(self._keys, own, strict=True)
        ]
        self._asked: list[list[Question]] = [[] for _ in parts]
        self._answers: list[list[Any]] = [[] for _ in parts]  # of the parts that are analysed
        self._elsewhere: dict[Stage, dict[str, bool]] = {}  # what parts reach of which it is remembered, by stage

    def ask(self, questions: Sequence[Question], taken: Taken = as_it_is) -> list[Any]:
        """The answers, in order, remembered or new."""
        before = [len(asked) for asked in self._asked]
        places: list[int] = []  # which question it is that the part is asked
        for one in questions:
            places.append(len(self._asked[one.part]))
            self._asked[one.part].append(one)
        known = self._known
        changed = {one.part for one, place in zip(questions, places, strict=True) if not self._holds(one, place)}
        changed = {part for part in changed if known[part] is not None}
        for part in changed:
            known[part] = None
        for one, place in zip(questions, places, strict=True):
            self._note_remembered(one, place)
        for number in range(max([before[part] for part in changed], default=0)):
            again = [self._asked[part][number] for part in sorted(changed) if number < before[part]]
            self._ask([self._informed(one) for one in again])
        fresh = iter(self._ask([self._informed(one) for one in questions if known[one.part] is None]))
        pairs = zip(questions, places, strict=True)
        answers = [next(fresh) if known[one.part] is None else self._cached(one, place) for one, place in pairs]
        return [taken(one, answer) for one, answer in zip(questions, answers, strict=True)]

    def _note_remembered(self, one: Question, place: int) -> None:
        """Put down what a part of which it is remembered reaches in the stage that is started now."""
        if one.method == "start" and self._known[one.part] is not None:
            version, stage, _ = stage_of(one)
            reached = self._elsewhere.setdefault((version, stage), {})
            for function, trusted in self._cached(one, place).items():
                reached[function] = trusted or reached.get(function, False)

    def _informed(self, one: Question) -> Question:
        """A question with what others reach, so that less is answered ahead in vain."""
        if one.method != "start":
            return one
        version, stage, _ = stage_of(one)
        return replace(one, elsewhere=self._elsewhere.get((version, stage), {}))

    def keep(self) -> None:
        """Remember where those parts stand now whose lines have moved; the others are kept as they are answered."""
        for known, key in zip(self._known, self._keys, strict=True):
            if known is not None and known.moved:
                self._keep(key, known.outcome, known.asked, known.answers, known.reads)

    def _taken(self, one: Question, answer: Any) -> Any:
        """An answer of the executor, noted; with the outcome, all of a part is remembered, and what that takes is let
        go of at once: of a very large project it would be more than all findings.
        """
        answers = self._answers[one.part]
        if one.method != "outcome":
            answers.append(answer)
            return answer
        outcome: Outcome = answer
        depends_on = outcome.depends_on
        if depends_on is not None and not outcome.given_up and not outcome.torn:
            reads = {path: [outcome.digests.get(path, ""), some] for path, some in depends_on.reads.items()}
            asked = [_spelled(one, depends_on) for one in self._asked[one.part]]
            self._keep(self._keys[one.part], outcome, asked, answers, reads)
        answers.clear()
        return outcome._replace(depends_on=None)

    def _keep(self, key: list[object], outcome: Outcome, asked: Json, answers: list[Json], reads: Json) -> None:
        pairs = [list(pair) for pair in zip(asked, [*answers, _encoded(outcome)], strict=True)]
        self._cache.keep_part(key, outcome.digests, outcome.lacking, outcome.asked, self._linted, pairs, reads)

    def _ask(self, questions: Sequence[Question]) -> list[Any]:
        return self._executor.ask(questions, self._taken)

    def _holds(self, one: Question, place: int) -> bool:
        """Whether the same was asked at this place in the earlier run, as far as the part asked what it was said."""
        known = self._known[one.part]
        if known is None or place >= len(known.asked):
            return False
        what, reached, trusted = known.asked[place]
        if what != _without_reached(one):
            return False
        if one.method != "start":
            return True
        now = one.given[2]
        assert isinstance(now, dict)
        return all((name in now) == found for name, found in reached.items()) and all(
            now.get(name) is found for name, found in trusted.items()
        )

    def _cached(self, one: Question, place: int) -> Any:
        known = self._known[one.part]
        assert known is not None
        return known.outcome if one.method == "outcome" else known.answers[place]


@dataclass(frozen=True, slots=True)
class _Known:
    """An earlier run of a part: what it was asked, what it answered, and what it came to.

    `moved` says that files which it read were edited elsewhere; what it `reads` of all is known then.
    """

    asked: list[Json]
    answers: list[Json]
    outcome: Outcome
    moved: bool = False
    reads: Json = None


def _read(
    cache: RunCache, key: list[object], linted: Mapping[str, str], own: frozenset[str], modules: ModuleCache
) -> _Known | None:
    """What is remembered of a part, if all that it depends on is as it was."""
    found = cache.part(key, linted)
    try:
        if found is None or not own.isdisjoint(found.changed):
            return None
        asked = [asked for asked, _ in found.content]
        *answers, last = [answer for _, answer in found.content]
        known = _Known(asked, answers, _decoded(last, cache)._replace(lacking=found.lacking))
        return _moved(known, found, cache.reads(key), modules) if found.changed else known
    except (NoFindingError, LookupError, ValueError, TypeError, AttributeError):
        return None


def _moved(known: _Known, found: KeptPart, reads: Json, modules: ModuleCache) -> _Known | None:
    """The same after edits of files that it read; None where something that it read says something else."""
    by_path: dict[str, Moves] = {}
    reads = dict(reads)
    for path, digest in found.changed.items():
        before, units = reads[path]
        outline = modules.outline_at(path, units) if before == found.read[path] else None
        taken = {
            key: Unit(text_of(said), tuple([(one, other) for one, other in at])) for key, (said, at) in units.items()
        }
        moved_to = None if outline is None else moves(taken, outline)
        if moved_to is None or outline is None:
            return None
        by_path[path] = moved_to
        reads[path] = [digest, {key: outline.get(key, NOTHING) for key in taken}]
    moved = Moved(by_path)
    asked = [
        [what, *[{moved.place(place): one for place, one in some.items()} for some in said]]
        for what, *said in known.asked
    ]
    answers = [
        {moved.place(place): one for place, one in answer.items()} if isinstance(answer, dict) else answer
        for answer in known.answers
    ]
    return _Known(asked, answers, moved.outcome(known.outcome, found.changed), True, reads)


def _part_key(request: Request, part: Sequence[Linted]) -> list[object]:
    """The request, and the files by what others call them: what stands in them is looked at later."""
    own = {file.path for file in part}
    only_in = [[repr(switch), sorted(paths & own)] for switch, paths in request.only_in]
    return [
        "part",
        repr(request.config),
        request.compilers,
        only_in,
        request.specs,
        [[file.path, file.dotted] for file in part],
    ]


def _spelled(one: Question, depends_on: DependsOn) -> Json:
    """A question, with what it said of functions that the part asked about."""
    if one.method != "start":
        return [_without_reached(one), {}, {}]
    version, stage, reached = one.given
    assert isinstance(version, int)
    assert isinstance(stage, str)
    assert isinstance(reached, dict)
    at = version, stage
    asked = {place: place in reached for place in depends_on.asked.get(at, ())}
    return [_without_reached(one), asked, {place: reached.get(place) for place in depends_on.trusted.get(at, ())}]


def _without_reached(one: Question) -> str:
    given = one.given[:2] if one.method == "start" else one.given
    return f"{one.method} {given}"


def _encoded(outcome: Outcome) -> Json:
    return [
        [encoded(one) for one in outcome.findings],
        [[encoded_root(one) for one in some] for some in (outcome.roots, outcome.unjudged)],
        outcome.started,
        outcome.asked,
        outcome.missed,
        outcome.digests,
        [[one.kind, one.path, one.message, one.line, one.column] for one in outcome.unreadable],
        [encoded_call(one) for one in outcome.calls],
        [encoded_notice(one) for one in outcome.notices],
    ]


def _decoded(value: Json, cache: RunCache) -> Outcome:
    findings, (roots, unjudged), started, asked, missed, digests, unreadable, calls, notices = value
    return Outcome(
        [decoded(one, cache.rules) for one in findings],
        tuple([decoded_root(one) for one in roots]),
        number_of(started),
        {text_of(name): bool(whole) for name, whole in asked.items()},
        tuple([text_of(one) for one in missed]),
        {text_of(path): text_of(digest) for path, digest in digests.items()},
        {},
        False,
        tuple([unreadable_of(one) for one in unreadable]),
        tuple([decoded_call(one) for one in calls]),
        unjudged=tuple([decoded_root(one) for one in unjudged]),
        notices=tuple([decoded_notice(one) for one in notices]),
    )
