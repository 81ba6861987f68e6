"""What is believed of a value where a finding lies: plain facts that rewrites, hover and packs may ask for."""

from __future__ import annotations

from compilelint.model.confidence import Confidence
from compilelint.model.slotted import dataclass


@dataclass(frozen=True, slots=True)
class Belief:
    """A name that holds a tensor: its dtype (`float`, `int`, `bool`, `complex`, empty if not known) and rank.

    `sure` is how sure it is that it holds a tensor and nothing else, with the doubts behind it.
    """

    name: str
    dtype: str
    rank: int | None
    sure: Confidence

    def joined(self, other: Belief) -> Belief:
        """What both say."""
        return Belief(
            self.name,
            self.dtype if self.dtype == other.dtype else "",
            self.rank if self.rank == other.rank else None,
            min(self.sure, other.sure),
        )


def joined(one: tuple[Belief, ...], other: tuple[Belief, ...]) -> tuple[Belief, ...]:
    """What is believed of a name on both ways to a place; nothing of one that holds a tensor on one of them only."""
    there = {belief.name: belief for belief in other}
    return tuple(belief.joined(there[belief.name]) for belief in one if belief.name in there)
