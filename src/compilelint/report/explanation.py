"""How the analysis came to what it says, or does not say, of one line: data for `compilelint why`, in words and places.

Nothing is judged here; `session.commands.why` fills it, and `report.layout.why_text` prints it.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

from compilelint.model import CallSite, Finding, Location
from compilelint.model.slotted import dataclass

Fate: TypeAlias = Literal[
    "reported", "suppressed", "ignored", "left out", "hidden", "folded", "in the baseline", "on an unchanged line"
]
"""What became of a finding."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """A finding of the line and what became of it; `because` says why, a sentence part each."""

    finding: Finding
    fate: Fate
    because: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Test:
    """A test that decides whether the line is reached: how it came out, the value it had, and what that lowered.

    `around` is false for a test above the line that may leave the function before it.
    """

    location: Location
    text: str
    outcome: str
    value: str
    around: bool = True
    lowered: str = ""


@dataclass(frozen=True, slots=True)
class Happening:
    """Something that the analysis noted at the line: an event, what Dynamo does there, and what checks made of it."""

    location: Location
    what: str
    fact: str
    said: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Belief:
    """What an expression of the line is believed to be, and from where."""

    text: str
    value: str
    origin: str = ""


@dataclass(frozen=True, slots=True)
class Way:
    """One way to the function around the line: the root, the calls, what was given, and what happened in that run.

    `stop` says what kept this run from the line; empty where it was reached.
    """

    root: str
    kind: str
    calls: tuple[CallSite, ...]
    given: tuple[Belief, ...]
    tests: tuple[Test, ...]
    stop: str
    beliefs: tuple[Belief, ...]
    happened: tuple[Happening, ...]


@dataclass(frozen=True, slots=True)
class Explanation:
    """All that is known of one line.

    `lines` are the first and the last of the function, or of what stands around a line outside of functions. `silence`
    says why nothing is reported, a sentence each; empty where something is. `around` are findings that need no root: of
    code around compiled regions, of trees and of comments.
    """

    location: Location
    text: str
    function: str
    lines: tuple[int, int]
    torch: str
    environment: str
    linted: str
    command: str
    outcomes: tuple[Outcome, ...]
    silence: tuple[str, ...]
    ways: tuple[Way, ...]
    around: tuple[Happening, ...]
    notices: tuple[str, ...] = ()

    @property
    def is_reported(self) -> bool:
        """Whether a finding of the line stands in the report."""
        return any(one.fate == "reported" for one in self.outcomes)
