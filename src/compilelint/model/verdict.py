"""What a run says about a finding: the second axis beside confidence, which is what the static pass says."""

from __future__ import annotations

import enum

from compilelint.model.slotted import dataclass


class Outcome(str, enum.Enum):
    """The four verdicts of design section 5."""

    CONFIRMED = "confirmed"
    REFUTED = "refuted"
    NOT_REACHED = "not-reached"
    RUN_ONLY = "run-only"


@dataclass(frozen=True, slots=True)
class Verdict:
    """`detail` is one sentence; `targets` names the targets that decided; `break_ids` are the ids the run gave.

    `place` counts the causes in a run's log from 1, the most expensive first; 0 where the run has no such order.
    """

    outcome: Outcome
    detail: str
    targets: tuple[str, ...] = ()
    break_ids: tuple[str, ...] = ()
    place: int = 0
