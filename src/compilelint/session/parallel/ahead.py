"""What a part will be asked next, answered before it is asked, so that the part can be let go of.

Only what other parts have reached is not known then. A part says what of it it asked for, so that the answers hold
where the real question comes with what would have been answered alike; else the part is analysed again.
"""

from __future__ import annotations

import io
import zlib
from collections import deque
from collections.abc import Iterator, Mapping
from typing import Any, TypeAlias

from compilelint.interp.core.reached_files import Elsewhere
from compilelint.model import Rule
from compilelint.session.parallel.outcome import Reached, Stage, Unsettled
from compilelint.session.parallel.part import Part, Request

Step: TypeAlias = tuple[str, tuple[Any, ...]]
"""A method of `Part` and what it is given, without `reached`."""


class Ahead:
    """The answers of a part to all that comes after its last question, in their order."""

    def __init__(self, part: Part, request: Request, asked: tuple[int, str], reached: Reached) -> None:
        """`asked` are the version and the stage that were started last, `reached` what is known to be reached then."""
        known = dict(reached)
        self._reached: dict[Stage, Reached] = dict(part.known)  # not what is assumed below, but what turns out to be
        self._answers: deque[tuple[Step, Any, Elsewhere | None]] = deque()
        for method, given in steps_after(request, *asked):
            if method == "start":
                number, kind = given
                if kind == request.stages[0]:
                    known = {}
                answer = part.start(number, kind, known)
                known = merged(known, answer)
                self._answers.append(((method, given), answer, part.elsewhere))
            else:
                found = Packed(part.unsettled()) if method == "outcome" else getattr(part, method)(*given)
                self._answers.append(((method, given), found, None))
        for _, _, elsewhere in self._answers:
            if elsewhere is not None:  # its outcome has asked too
                elsewhere.forget()  # for each part all that any has reached is much

    def holds(self, method: str, given: tuple[Any, ...]) -> bool:
        """Whether this is what was asked ahead, as far as it makes a difference."""
        if not self._answers:
            return False
        step, _, elsewhere = self._answers[0]
        if method != "start":
            return step == (method, given)
        return step == (method, given[:2]) and (elsewhere is None or elsewhere.would_be(given[2]))

    def take(self, method: str, given: tuple[Any, ...]) -> Any:
        """The answer to what `holds`."""
        answer = self._answers.popleft()[1]
        if method == "start":
            number, kind, reached = given
            self._reached[number, kind] = reached
        return answer.unpacked().settled(self._reached) if isinstance(answer, Packed) else answer


class Packed:
    """What a part has come to, a tenth as large until it is asked for: of a hundred parts it is waited for at once."""

    def __init__(self, whole: Unsettled) -> None:
        import pickle  # most runs need none

        self._rules: dict[str, Rule] = {}
        made = io.BytesIO()
        pickler = pickle.Pickler(made, pickle.HIGHEST_PROTOCOL)
        pickler.persistent_id = self._named  # type: ignore[method-assign]
        pickler.dump(whole)
        self._data = zlib.compress(made.getbuffer(), 1)

    def _named(self, one: object) -> str | None:
        """Of a rule its code: a rule is one object, and one of a pack may not be found by its module."""
        if not isinstance(one, Rule):
            return None
        self._rules[one.code] = one
        return one.code

    def unpacked(self) -> Unsettled:
        """The same again."""
        import pickle

        unpickler = pickle.Unpickler(io.BytesIO(zlib.decompress(self._data)))  # what this process has packed itself
        unpickler.persistent_load = self._rules.__getitem__  # type: ignore[method-assign]
        found = unpickler.load()
        assert isinstance(found, Unsettled)
        return found


def steps_after(request: Request, version: int, stage: str) -> Iterator[Step]:
    """All that a part is asked after a stage of a version was started."""
    for number in range(version, len(request.facts)):
        for kind in request.stages[request.stages.index(stage) + 1 :] if number == version else request.stages:
            yield "start", (number, kind)
        yield "survey", (number,)
    yield "outcome", ()


def merged(reached: Mapping[str, bool], places: Mapping[str, bool]) -> dict[str, bool]:
    """What is reached, and whether from a root that is no guess, once a part has reached these too."""
    found = dict(reached)
    for place, trusted in places.items():
        found[place] = trusted or found.get(place, False)
    return found
