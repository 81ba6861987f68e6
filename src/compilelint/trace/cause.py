"""What a run's log comes to: a `Cause` for all that has one reason at one line, and the run's totals.

Times are seconds. Places are the job's paths; `trace.checkout` says where they are here.
"""

from __future__ import annotations

import enum
from typing import NamedTuple

from compilelint.model import Step
from compilelint.model.slotted import dataclass
from compilelint.trace.guards import Failure


class Kind(str, enum.Enum):
    """What happened, declared in the order in which equal costs are listed."""

    ERROR = "error"
    LIMIT = "limit"
    BREAK = "break"
    RECOMPILE = "recompile"
    CUDA_GRAPH = "cuda-graph"
    CACHE = "cache"


@dataclass(frozen=True, slots=True)
class Cause:
    """One reason at one line, and what it cost.

    `place` is the innermost line that is not torch's own, `stack` one way to it, outermost first,
    with the text of each line in `codes`. `count` says how
    often it was seen, `frames` the names of the frames it was seen in (some of `frame_count`), `ranks` who saw it.
    `cold` is spent on compiles that exist only because of it, `again` on compiles repeated because of it. `graphs`
    counts the compiled graphs that it added. `failure` is the guard that failed and `values` what its value was, one
    after the other; `others` are guards of older versions that failed too. `limit` says that the frame was given up,
    `of_parameter` that the size of a parameter differed too,
    `resumed` that the frame begins behind a graph break, at that line. `together` are the sizes (source and dimension)
    of other inputs that changed with the one that failed, None where the log does not say.
    """

    kind: Kind
    place: Step
    words: str
    break_id: str = ""
    explanation: str = ""
    hints: tuple[str, ...] = ()
    skips_frame: bool = False
    stack: tuple[Step, ...] = ()
    codes: tuple[str, ...] = ()
    count: int = 0
    ranks: tuple[int, ...] = ()
    frames: tuple[str, ...] = ()
    frame_count: int = 0
    cold: float = 0.0
    again: float = 0.0
    graphs: int = 0
    failure: Failure | None = None
    values: tuple[str, ...] = ()
    others: tuple[str, ...] = ()
    limit: int = 0
    of_parameter: bool = False
    resumed: bool = False
    together: tuple[tuple[str, int], ...] | None = None

    @property
    def seconds(self) -> float:
        """All that it cost while compiling."""
        return self.cold + self.again

    @property
    def key(self) -> tuple[str, str, int, str]:
        """The same for the same cause in another run of the same source."""
        about = f"{self.failure.key}" if self.failure is not None else self.break_id or self.words
        return self.kind.value, self.place.path, self.place.line, about


class Span(NamedTuple):
    """A compile on the timeline: `cause` is the number of what made it necessary in `Trace.causes`, -1 for none."""

    rank: int
    id: str
    frame: Step
    begins: float
    seconds: float
    backward: bool
    cause: int


class CacheUse(NamedTuple):
    """How often a cache was asked with which outcome."""

    cache: str
    hits: int
    misses: int
    bypasses: int


class Divergence(NamedTuple):
    """The first compile in which a rank differs from another.

    `number` counts from 1; a place is None where that rank compiled no more. `ops`
    count the operations of both graphs.
    """

    rank: int
    other: int
    number: int
    place: Step | None
    other_place: Step | None
    ops: int = 0
    other_ops: int = 0


@dataclass(frozen=True, slots=True)
class Trace:
    """All that the logs of one run say, most expensive cause first.

    `compiles` counts frames compiled, `graphs` what was installed; `first_seconds` were spent on first compiles and
    `again_seconds` on repeated ones, over all ranks. `damaged` counts records that could not be read out of `records`.
    `left_out` counts causes beyond the bound. `structured` is False where only text was read, which has no seconds.
    """

    causes: tuple[Cause, ...]
    torch: tuple[str, ...] = ()
    ranks: tuple[int, ...] = ()
    files: int = 0
    lines: int = 0
    records: int = 0
    messages: int = 0
    damaged: int = 0
    left_out: int = 0
    compiles: int = 0
    graphs: int = 0
    first_seconds: float = 0.0
    again_seconds: float = 0.0
    backward_seconds: float = 0.0
    caches: tuple[CacheUse, ...] = ()
    spans: tuple[Span, ...] = ()
    spans_left_out: int = 0
    divergences: tuple[Divergence, ...] = ()

    @property
    def structured(self) -> bool:
        """Whether structured records were read."""
        return self.records > 0

    @property
    def seconds(self) -> float:
        """Everything that was spent on compiling, over all ranks."""
        return self.first_seconds + self.again_seconds + self.backward_seconds
