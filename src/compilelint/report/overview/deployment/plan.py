"""What a deployment report holds, before it is put into words: verdicts with their numbers, advice and commands."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias

from compilelint.model import Location
from compilelint.model.slotted import dataclass

if TYPE_CHECKING:
    from compilelint.survey.practices import Practice

Purpose: TypeAlias = Literal["train", "serve", "edge"]
"""Training steps; answers to requests of small batches; a packaged graph without Python."""

VerdictKind: TypeAlias = Literal["compile", "fix", "eager", "measure", "export", "stopped"]
"""Compile it as it is; fix it first; leave it eager; only a measurement decides; export it; the export is stopped."""

Topic: TypeAlias = Literal["use", "mode", "shapes", "region", "placement", "step", "start", "skip"]
"""What an advice is about."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What a deployment report is made from beside the overview: what the code around the models does, and `tops`, the
    classes that no other model is made of, as `--roots` names them.
    """

    purpose: Purpose
    practices: tuple[Practice, ...]
    tops: frozenset[str]


@dataclass(frozen=True, slots=True)
class Range:
    """How many times as fast as eager, over the models that were measured; `what` says as what it runs."""

    what: str
    low: float
    high: float

    @property
    def words(self) -> str:
        """`1.1 to 1.3 times`."""
        return f"{self.low:.1f} to {self.high:.1f} times"


@dataclass(frozen=True, slots=True)
class Verdict:
    """What to do with one function, in words; `ranges` are expected speeds, none where no price was measured."""

    name: str
    spec: str
    location: Location
    kind: VerdictKind
    words: str
    ranges: tuple[Range, ...] = ()


@dataclass(frozen=True, slots=True)
class Advice:
    """One sentence on a topic, with the place that it is about and the rows of the published prices behind it."""

    topic: Topic
    words: str
    location: Location | None = None
    rows: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Deployment:
    """All of it. `left` counts functions that were judged and have no verdict here."""

    purpose: Purpose
    verdicts: tuple[Verdict, ...]
    left: int
    advice: tuple[Advice, ...]
    commands: tuple[str, ...]
    assumes: str = ""
