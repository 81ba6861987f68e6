"""Causes while they are counted: found again by kind, line and what they are about, and finished in the end."""

from __future__ import annotations

from collections.abc import Iterable

from compilelint.model import Step
from compilelint.model.slotted import dataclass
from compilelint.trace.cause import Cause, Kind
from compilelint.trace.events import Break, Compiled, Event, Id
from compilelint.trace.guards import Failure

MOST_CAUSES = 20_000
MOST_NAMED = 12
MOST_FRAMES = 50_000
_ORDER = list(Kind)
Key = tuple[object, ...]


@dataclass(slots=True)
class Growing:
    """A cause while it is counted; `counts` are those of structured records and of text."""

    kind: Kind
    place: Step
    words: str
    first: Event
    failure: Failure | None
    counts: list[int]
    ranks: set[int]
    frames: dict[str, None]
    frame_ids: set[Key]
    values: dict[str, None]
    others: dict[str, None]
    cold: float = 0.0
    again: float = 0.0
    graphs: int = 0
    limit: int = 0
    of_parameter: bool = False
    resumed: bool = False
    together: dict[tuple[str, int], None] | None = None

    def note_frame(self, file: int, at: Id | None, name: str) -> None:
        """Remember a frame that it was seen in, by its name and by its number in a file."""
        if name and len(self.frames) < MOST_NAMED:
            self.frames.setdefault(name)
        if len(self.frame_ids) < MOST_FRAMES:
            self.frame_ids.add((file, at.frame) if at is not None else (name,))


class Causes:
    """All causes of a run by their keys; `left_out` counts events of causes beyond the bound."""

    def __init__(self) -> None:
        self._by_key: dict[Key, Growing] = {}
        self.left_out = 0

    def count(
        self, kind: Kind, place: Step, about: Key, words: str, event: Event, rank: int, structured: bool
    ) -> Growing | None:
        """The cause that an event belongs to, counted; None beyond the bound."""
        key = (kind, place.path, place.line, *about)
        found = self._by_key.get(key)
        if found is None:
            if len(self._by_key) >= MOST_CAUSES:
                self.left_out += 1
                return None
            found = Growing(kind, place, words, event, None, [0, 0], set(), {}, set(), {}, {})
            self._by_key[key] = found
        found.counts[0 if structured else 1] += 1
        found.ranks.add(rank)
        return found

    def finished(self) -> list[tuple[Growing, Cause]]:
        """The causes, most expensive first."""
        grown = [(one, _cause(one)) for one in _merged(self._by_key.values())]
        grown.sort(key=lambda pair: _cost(pair[1]))
        return grown


def _merged(causes: Iterable[Growing]) -> list[Growing]:
    """Breaks that text shows without their name are those of the same line that have one."""
    kept: list[Growing] = []
    every = tuple(causes)
    named: dict[tuple[str, int], Growing] = {}
    for one in every:
        if one.kind is Kind.BREAK and one.words:
            named.setdefault((one.place.path, one.place.line), one)
    for one in every:
        twin = named.get((one.place.path, one.place.line)) if one.kind is Kind.BREAK and not one.words else None
        if twin is None:
            kept.append(one)
            continue
        twin.counts[:] = [max(pair) for pair in zip(twin.counts, one.counts, strict=True)]
        twin.ranks |= one.ranks
    return kept


def _cause(one: Growing) -> Cause:
    event = one.first
    found = event if isinstance(event, Break) else None
    return Cause(
        one.kind,
        one.place,
        one.words,
        found.break_id if found is not None else "",
        found.explanation if found is not None else event.why if isinstance(event, Compiled) else "",
        found.hints if found is not None else (),
        found.skips_frame if found is not None else False,
        found.stack if found is not None else (),
        found.codes if found is not None else (),
        max(one.counts),
        tuple(sorted(one.ranks)),
        tuple(one.frames),
        len(one.frame_ids),
        one.cold,
        one.again,
        one.graphs,
        one.failure,
        tuple(one.values),
        tuple(one.others),
        one.limit,
        one.of_parameter,
        one.resumed,
        None if one.together is None else tuple(one.together),
    )


def _cost(cause: Cause) -> Key:
    """By seconds, then graphs, then how often."""
    order = _ORDER.index(cause.kind)
    return -cause.seconds, -cause.graphs, order, -cause.count, cause.place.path, cause.place.line, cause.words
