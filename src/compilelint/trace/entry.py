"""A cause as it is reported: where its line is here, which rules are about it, what to write, what a lint said."""

from __future__ import annotations

from compilelint.model import Finding, Rule, Step
from compilelint.model.slotted import dataclass
from compilelint.trace.advice import Advice
from compilelint.trace.cause import Cause, Trace
from compilelint.trace.checkout import Here


@dataclass(frozen=True, slots=True)
class Entry:
    """`here` is the cause's line in this checkout; where that is not here, `called_from` is the nearest line of the way
    to it that is. `finding` is the finding of the lint that speaks of it. `instances` says that what differs is set
    where the object is made, so several objects share the code. `code` is the text of the line.
    """

    cause: Cause
    here: Here
    called_from: Step | None = None
    rules: tuple[Rule, ...] = ()
    advice: tuple[Advice, ...] = ()
    finding: Finding | None = None
    instances: bool = False
    code: str = ""

    @property
    def place(self) -> Step:
        """The line to look at: in this checkout where it is there, else as the job names it."""
        if self.here.path:
            return Step(self.here.path, self.here.line, self.cause.place.function)
        return self.cause.place


@dataclass(frozen=True, slots=True)
class Change:
    """What a cause became since another run: `new`, `gone`, or another count or time; `old` is what it was then."""

    kind: str
    entry: Entry
    old: Cause | None = None


@dataclass(frozen=True, slots=True)
class TraceReport:
    """A run's log as it is reported. `unseen` are findings of the lint that this run did not show; `linted` says that
    there was a lint. `changes` compares with `against`, an older run; None without one.
    """

    trace: Trace
    entries: tuple[Entry, ...]
    base: str
    unseen: tuple[Finding, ...] = ()
    linted: bool = False
    changes: tuple[Change, ...] | None = None
    against: Trace | None = None
