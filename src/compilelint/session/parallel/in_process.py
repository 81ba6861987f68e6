"""What parts of a project are asked, and this process as the one that answers.

A process keeps some parts, and lets go of the others as soon as they have answered all that they will be asked.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Collection, Sequence
from dataclasses import field, replace
from functools import partial
from typing import Any, Protocol, TypeAlias

from compilelint.model import Confidence, Finding
from compilelint.model.slotted import dataclass
from compilelint.rulebook import Rulebook
from compilelint.session.parallel.ahead import Ahead, merged
from compilelint.session.parallel.importance import imports, room_beside
from compilelint.session.parallel.module_cache import ModuleCache
from compilelint.session.parallel.outcome import Reached
from compilelint.session.parallel.part import Part, Request
from compilelint.session.pipeline.inputs import Linted
from compilelint.syntax.stack import with_room


@dataclass(frozen=True, slots=True)
class Question:
    """A method of `Part`, asked of the part of a number; `weight` says how long the answer takes, beside others.

    `elsewhere` is what other processes have reached so far in the stage that is started: it may not be needed, and
    nothing that is answered depends on it.
    """

    part: int
    method: str
    given: tuple[object, ...] = ()
    weight: int = 0
    elsewhere: Reached = field(default_factory=dict)


Taken: TypeAlias = Callable[[Question, Any], Any]
"""What is done with an answer as soon as it is there; what it returns is the answer from then on."""


def as_it_is(_: Question, answer: Any) -> Any:
    """The answer."""
    return answer


class Asked(Protocol):
    """Answers questions about parts; `taken` is called for one at a time, for those of a part in their order."""

    def ask(self, questions: Sequence[Question], taken: Taken = as_it_is) -> list[Any]: ...


class Executor(Asked, Protocol):
    """Does all that can be divided."""

    def with_fixes(self, findings: Sequence[Finding], least: Confidence) -> list[Finding]:
        """The findings with their fixes, where they are at least that sure and have one."""
        ...


MOST_KEPT = 6_000_000
"""Characters of the parts that a process keeps from one question to the next: their IR and what was learnt of them take
25 to 40 bytes a character. Another part is asked all at once, before it is known what the others reach (`Ahead`), and
let go of; where that made a difference, it is analysed again, with the same answers as if it had been kept, since a
part is asked the same in the same order."""

MOST_AT_ONCE = 9_000_000
"""Likewise, with the largest of the parts that are let go of, so that larger parts leave less room for others. With
both, 45 MB take less than 500 MB."""


_LONG = 8_000  # characters of a part of which an answer takes long enough for `with_room`


class InProcess:
    """This process does everything, part after part."""

    def __init__(
        self,
        request: Request,
        module_cache: ModuleCache,
        files: Sequence[Sequence[Linted]],
        book: Rulebook,
        room: tuple[int, int] | None = None,
        records: bool = False,
    ) -> None:
        """`room` is for a worker, which is asked one by one: how much it keeps, how much it holds at once."""
        self._request = request
        self._records = records
        self._module_cache = module_cache
        self._files = files
        self._book = book
        self._parts: dict[int, Part] = {}
        self._sizes = [sum(file.size for file in part) for part in files]
        kept, self._at_once = room or (MOST_KEPT, MOST_AT_ONCE)
        self._room = room_beside(kept, self._at_once, self._sizes)
        self._kept: set[int] = set()
        self._passing: tuple[int, Part] | None = None  # the one that is not kept
        self._asked: dict[int, list[Question]] = {}  # of those that are not kept
        self._ahead: dict[int, Ahead] = {}
        self._imported: dict[str, frozenset[int]] = {}  # linted modules that other parts import, as in `Imports`
        self._done: set[int] = set()  # parts that were let go of, and will hardly be asked again
        self._order: dict[int, int] = {}  # which part is asked first, where not all are kept
        self._before: Reached = {}  # when the stage began: one table for all parts, also where each is sent its own
        self._stage: list[object] = []
        self._reached: dict[str, bool] = {}  # by the parts that have started the stage

    def ask(self, questions: Sequence[Question], taken: Taken = as_it_is) -> list[Any]:
        """The answers, in order; all of a part one after the other."""
        if questions and not self._order:
            self._order = self._planned({one.part for one in questions})
        by_part = sorted(range(len(questions)), key=lambda number: self._order[questions[number].part])
        answers = {number: taken(questions[number], self.answer(questions[number])) for number in by_part}
        return [answers[number] for number in range(len(questions))]

    def answer(self, one: Question) -> Any:
        """One answer; the part is read when it is first asked something."""
        if self._sizes[one.part] < _LONG:
            return self._answer(one)
        return with_room(partial(self._answer, one))

    def _answer(self, one: Question) -> Any:
        if one.method == "start":
            one = self._noted(one)
        part = self._parts.get(one.part)
        if part is None and one.part not in self._asked and self._keeps(one.part):
            part = self._parts[one.part] = self._read(one.part)
        answer = self._of_passing(one) if part is None else getattr(part, one.method)(*one.given)
        if one.method == "start":
            self._reached = merged(self._reached, answer)
            if part is None and one.part not in self._ahead:
                self._look_ahead(one)
        return answer

    def _planned(self, asked: Collection[int]) -> dict[int, int]:
        """The turn of each part, where it is not a worker that keeps what comes first.

        After an edit few are `asked`, since of the others it is remembered what they come to: all of those are kept.
        """
        everyone = range(len(self._sizes))
        if sum(self._sizes) <= self._room:
            self._kept.update(everyone)
        elif 2 * len(asked) <= len(self._sizes) and sum(self._sizes[one] for one in asked) <= self._at_once:
            self._kept.update(asked)
        if self._kept:
            return {number: number for number in everyone}
        found = imports(self._files, self._module_cache.text_of)
        self.know(found.modules)
        plan = found.plan(self._sizes, self._room)
        self._kept.update(plan.kept)
        return plan.turns

    def know(self, imported: dict[str, frozenset[int]]) -> None:
        """Which linted modules other parts import, and which parts ask for each."""
        self._imported = imported

    def _keeps(self, number: int) -> bool:
        """Whether a part is kept: as planned; a worker, which is asked one by one, keeps what comes first."""
        if not self._order and self._sizes[number] <= self._room:
            self._room -= self._sizes[number]
            self._kept.add(number)
        return number in self._kept

    def _of_passing(self, one: Question) -> Any:
        """The answer of a part that is not kept: known already, or of the part as it is after all it was asked."""
        ahead = self._ahead.get(one.part)
        if ahead is not None and ahead.holds(one.method, one.given):
            answer = ahead.take(one.method, one.given)
        else:
            self._ahead.pop(one.part, None)
            answer = getattr(self._again(one.part), one.method)(*one.given)
        self._asked.setdefault(one.part, []).append(one)
        return answer

    def _look_ahead(self, one: Question) -> None:
        """Ask the part what comes next, and let go of it."""
        assert self._passing is not None
        assert self._passing[0] == one.part
        self._ahead[one.part] = Ahead(self._passing[1], self._request, stage_of(one)[:2], self._reached)
        self._let_go()

    def _noted(self, one: Question) -> Question:
        """The start of a stage, whose tables are put down here: what was reached before, and elsewhere."""
        *stage, before = stage_of(one)
        if self._stage != stage or (self._before is not before and self._before != before):
            self._stage, self._before, self._reached = stage, before, dict(before)
        self._reached = merged(self._reached, one.elsewhere)
        return replace(one, given=(*stage, self._before), elsewhere={})

    def _read(self, number: int) -> Part:
        return Part(self._request, self._module_cache, self._files[number], self._book, self._records)

    @property
    def only(self) -> Part | None:
        """The part of a project that is one."""
        return self._parts.get(0) if len(self._files) == 1 else None

    def _again(self, number: int) -> Part:
        """A part that is not kept, as it is after all it was asked so far; the one before it is dropped."""
        if self._passing is not None and self._passing[0] == number:
            return self._passing[1]
        self._let_go()
        part = self._read(number)
        for earlier in self._asked.get(number, ()):
            getattr(part, earlier.method)(*earlier.given)
        self._passing = (number, part)
        return part

    def _let_go(self) -> None:
        """Free the part that is not kept, and what was lowered for it alone."""
        if self._passing is not None:
            number, part = self._passing
            part.let_go()
            self._passing = None
            del part
            self._done.add(number)
            kept = {path for part in self._parts.values() for path in part.paths}
            self._module_cache.forget(kept, {one for one, parts in self._imported.items() if not parts <= self._done})
            gc.collect()  # what a part is made of holds each other
        gc.freeze()  # what is kept need not be searched for garbage each time

    def with_fixes(self, findings: Sequence[Finding], least: Confidence) -> list[Finding]:
        """The findings with their fixes."""
        if not any(may_have_fix(one, least) for one in findings):
            return list(findings)
        from compilelint.session.fixing.propose import with_fixes  # LibCST comes with it, which most runs do without

        return list(with_fixes(findings, least=least))


def stage_of(one: Question) -> tuple[int, str, Reached]:
    """What a stage is started with."""
    version, stage, reached = one.given
    assert isinstance(version, int)
    assert isinstance(stage, str)
    assert isinstance(reached, dict)
    return version, stage, reached


def may_have_fix(one: Finding, least: Confidence) -> bool:
    """Whether a fix may be looked for."""
    return one.rewrite is not None and one.confidence >= least
