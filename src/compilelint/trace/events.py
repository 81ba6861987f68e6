"""What a log says happened, one record an event; whichever form of log it came from.

Texts are as the job wrote them, cut to bounds. Paths are the job's, not this machine's. `Id` names a compile of one
process as torch does: `2/1` is the second compile of the third frame.
"""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

from compilelint.model import Step

MOST_TEXT = 4_000
"""Characters kept of any one text of a log."""
MOST_STEPS = 64
"""Frames kept of a stack: the innermost ones."""


class Id(NamedTuple):
    """A compile: `frame` counts frames, `compile` the times that this frame was compiled, both from 0."""

    frame: int
    compile: int

    def __str__(self) -> str:
        return f"{self.frame}/{self.compile}"


class Torch(NamedTuple):
    """The torch that wrote the log."""

    version: str


class Began(NamedTuple):
    """Dynamo begins to compile a frame, called from `stack` (outermost first, the frame itself last)."""

    id: Id
    stack: tuple[Step, ...]


class Break(NamedTuple):
    """A graph break; `stack` ends with the line that broke, `codes` holds the text of each line of it, where known.

    `skips_frame` says that the whole frame runs uncompiled because Dynamo could not resume behind the break.
    """

    id: Id | None
    stack: tuple[Step, ...]
    words: str
    break_id: str = ""
    explanation: str = ""
    hints: tuple[str, ...] = ()
    skips_frame: bool = False
    codes: tuple[str, ...] = ()


class Recompile(NamedTuple):
    """A frame is compiled again; `failures` holds a text a compiled version that did not fit, the newest first."""

    id: Id | None
    frame: Step | None
    failures: tuple[str, ...]


class Compiled(NamedTuple):
    """A compile is over: its frame, the seconds it took, and what became of it.

    `at` is when it began, in seconds since the epoch, 0 where the log does not say. `restarted` is the part of the
    seconds that was spent on analyses thrown away. `fail` is the class of the error that ended it and `why` its words.
    `ops` counts the operations of the graph.
    """

    id: Id | None
    frame: Step
    seconds: float
    at: float = 0.0
    restarted: float = 0.0
    backend_seconds: float = 0.0
    ops: int = 0
    guards: int = 0
    installed: bool = True
    fail: str = ""
    why: str = ""
    fail_place: Step | None = None
    backward: bool = False
    no_cuda_graph: str = ""


class CacheLookup(NamedTuple):
    """A cache of compiled graphs was asked: `cache` names it, `state` is `hit`, `miss` or `bypass`, `why` its reason.

    `key` is the hash that was looked up, and `parts` the hashes of what goes into it, by name.
    """

    id: Id | None
    cache: str
    state: str
    why: str = ""
    key: str = ""
    parts: tuple[tuple[str, str], ...] = ()


class Sized(NamedTuple):
    """A tensor of a compile by its `number`, with its size."""

    id: Id | None
    number: tuple[int, int]
    size: tuple[int, ...]


class Named(NamedTuple):
    """The source (`L['x']`) of the tensor with this `number`."""

    id: Id | None
    number: tuple[int, int]
    source: str


class Limit(NamedTuple):
    """A frame is given up because it was compiled too often: it runs uncompiled from here on."""

    id: Id | None
    frame: Step
    limit: str
    most: int
    reason: str


class NoCudaGraph(NamedTuple):
    """CUDA graphs leave out a graph; `place` is the line that the log blames, if it names one."""

    id: Id | None
    reason: str
    place: Step | None = None


Event: TypeAlias = Torch | Began | Break | Recompile | Compiled | CacheLookup | Sized | Named | Limit | NoCudaGraph


def cut(text: str, most: int = MOST_TEXT) -> str:
    """A text without what is beyond its bound."""
    return text if len(text) <= most else text[: most - 1] + "…"
