"""What the code does around its models, by kind, with the words for where it does so."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from compilelint.model import Location
from compilelint.report.layout.folding import side_folder
from compilelint.report.overview.deployment.plan import Advice, Topic
from compilelint.survey.practices import Practice, PracticeKind

_MOST = 3  # places that a sentence names


class Surroundings:
    """What the package does around its models, by kind; docs, examples and tests count only where there is no other."""

    def __init__(self, every: Iterable[Practice], base: str, shown: Callable[[str], str]) -> None:
        found = list(every)
        package = [one for one in found if not side_folder(one.location.path, base)]
        self._by_kind: dict[PracticeKind, list[Practice]] = {}
        self._shown = shown
        for one in sorted(package or found, key=lambda one: one.location.path.count("/")):  # scripts lie above packages
            self._by_kind.setdefault(one.kind, []).append(one)

    def of(self, kind: PracticeKind) -> list[Practice]:
        """The practices of a kind, in the order of the files."""
        return self._by_kind.get(kind, [])

    def at(self, places: Sequence[Location]) -> str:
        """`train.py:12, train.py:40 and 3 more`, each line once."""
        lines = list(dict.fromkeys(f"{self._shown(one.path)}:{one.span.line}" for one in places))
        named = ", ".join(lines[:_MOST])
        return f"{named} and {len(lines) - _MOST:,} more" if len(lines) > _MOST else named

    def line(self, topic: Topic, words: str, found: Sequence[Practice], *rows: str) -> Advice:
        """A sentence with the places of practices in it, where it says `{at}`."""
        at = self.at([one.location for one in found])
        return Advice(topic, words.replace("{at}", at), found[0].location if found else None, rows)
