"""The cache of parts: those of a project that need not be analysed again, their answers being an earlier run's.

An answer of a part depends on its files, on all that these made it read and look up, and on which functions of those
files other parts have reached. Where all of it is as it was, the part is not even read; where another part has reached
something else by the time of a later stage, it is analysed after all, from its first question on.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from compilelint.cache import NoFindingError, decoded, encoded
from compilelint.cache.encoding import Json, number_of, text_of
from compilelint.model.slotted import dataclass
from compilelint.session.incremental.run_cache import (
    RunCache,
    decoded_call,
    decoded_notice,
    decoded_root,
    encoded_call,
    encoded_notice,
    encoded_root,
    unreadable_of,
)
from compilelint.session.parallel.outcome import Outcome
from compilelint.session.parallel.part import Request
from compilelint.session.parallel.workers import Asked, Question
from compilelint.session.pipeline.inputs import Linted


class PartCache:
    """Asks `executor` only about parts of which nothing is remembered; satisfies `Asked`."""

    def __init__(self, executor: Asked, cache: RunCache, request: Request, parts: Sequence[Sequence[Linted]]) -> None:
        self._executor = executor
        self._cache = cache
        self._keys = [_part_key(request, part) for part in parts]
        self._linted = {file.dotted: file.path for part in parts for file in part}
        self._known = [_read(cache, key, self._linted) for key in self._keys]
        self._asked: list[list[Question]] = [[] for _ in parts]
        self._answers: list[list[Any]] = [[] for _ in parts]  # of the parts that are analysed

    def ask(self, questions: Sequence[Question]) -> list[Any]:
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
        for number in range(max([before[part] for part in changed], default=0)):
            self._ask([self._asked[part][number] for part in sorted(changed) if number < before[part]])
        fresh = iter(self._ask([one for one in questions if known[one.part] is None]))
        pairs = zip(questions, places, strict=True)
        return [next(fresh) if known[one.part] is None else self._cached(one, place) for one, place in pairs]

    def keep(self) -> None:
        """Remember the parts that were analysed."""
        for part, key in enumerate(self._keys):
            if self._known[part] is None and self._answers[part]:
                outcome: Outcome = self._answers[part][-1]
                if outcome.given_up:
                    continue
                paths = outcome.digests.keys()
                asked = [_spelled(one, paths) for one in self._asked[part]]
                answers = [*self._answers[part][:-1], _encoded(outcome)]
                pairs = [list(pair) for pair in zip(asked, answers, strict=True)]
                self._cache.keep_part(key, outcome.digests, outcome.lacking, outcome.asked, self._linted, pairs)

    def _ask(self, questions: Sequence[Question]) -> list[Any]:
        answers = self._executor.ask(questions)
        for one, answer in zip(questions, answers, strict=True):
            self._answers[one.part].append(answer)
        return answers

    def _holds(self, one: Question, place: int) -> bool:
        """Whether the same was asked at this place in the earlier run."""
        known = self._known[one.part]
        if known is None or place >= len(known.pairs):
            return False
        return bool(known.pairs[place][0] == _spelled(one, known.digests.keys()))

    def _cached(self, one: Question, place: int) -> Any:
        known = self._known[one.part]
        assert known is not None
        return known.outcome if one.method == "outcome" else known.pairs[place][1]


@dataclass(frozen=True, slots=True)
class _Known:
    """An earlier run of a part: what it was asked, what it answered, and what it came to."""

    digests: dict[str, str]
    pairs: list[Json]
    outcome: Outcome


def _read(cache: RunCache, key: list[object], linted: Mapping[str, str]) -> _Known | None:
    """What is remembered of a part, if all that it depends on is as it was."""
    found = cache.part(key, linted)
    try:
        if found is None:
            return None
        digests, lacking, pairs = found
        return _Known(digests, pairs, _decoded(pairs[-1][1], cache)._replace(lacking=lacking))
    except (NoFindingError, ValueError, TypeError, IndexError, AttributeError):
        return None


def _part_key(request: Request, part: Sequence[Linted]) -> list[object]:
    """The request, and the files by what others call them: what stands in them is looked at later."""
    return ["part", repr(request.config), request.specs, [[file.path, file.dotted] for file in part]]


def _spelled(one: Question, paths: Collection[str]) -> str:
    """A question as a text; of what other parts have reached, only what lies in the files that the part knows."""
    if one.method != "start":
        return f"{one.method} {one.given}"
    version, stage, reached = one.given
    assert isinstance(reached, dict)
    seen = hashlib.blake2b(digest_size=16)
    for place in sorted(reached):
        if place.rpartition(":")[0] in paths:
            seen.update(f"{place} {reached[place]}\n".encode("utf-8", "surrogatepass"))
    return f"start {version} {stage} {seen.hexdigest()}"


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
