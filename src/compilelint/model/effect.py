"""What a finding costs (effect), how it is shown (severity), and how safe a fix is; three axes of their own."""

from __future__ import annotations

import enum

from compilelint.model.confidence import Confidence


class Effect(str, enum.Enum):
    """What the line does to the compiled program, declared worst first."""

    WRONG_RESULT = "wrong-result"
    ERROR = "error"
    GRAPH_BREAK = "graph-break"
    RECOMPILE = "recompile"
    SYNC = "sync"
    CUDAGRAPH = "cudagraph"
    SLOW = "slow"
    TOOL = "tool"


class Severity(enum.IntEnum):
    """What a reporter shows; ordered by weight."""

    NOTE = 1
    WARNING = 2
    ERROR = 3

    @property
    def label(self) -> str:
        """The lower-case word used in reports and options."""
        return self.name.lower()


class Safety(str, enum.Enum):
    """Whether a fix keeps results, exceptions, dtype, device and state for every input."""

    SAFE = "safe"
    UNSAFE = "unsafe"


_ENDS_THE_GRAPH = frozenset({Effect.WRONG_RESULT, Effect.ERROR, Effect.GRAPH_BREAK})


def severity_of(effect: Effect, confidence: Confidence) -> Severity:
    """Severity = effect x confidence (design section 4.3).

    Effects that end the graph or falsify a result are errors when certain; the costs (recompile, sync,
    cudagraph, slow) are warnings at most; anything merely possible is a note. Findings about the tool's own
    work (an unreadable file, an unused pragma) follow their confidence alone.
    """
    if confidence == Confidence.POSSIBLE:
        return Severity.NOTE
    if confidence is Confidence.CERTAIN and (effect in _ENDS_THE_GRAPH or effect is Effect.TOOL):
        return Severity.ERROR
    return Severity.WARNING
