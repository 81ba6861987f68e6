"""What a real run of TorchDynamo showed: breaks, skipped frames, recompiles, divergences, and what became of a target.

Facts only: how they bear on findings is `model.verdict` and `dynamic.merge`. Paths are absolute, with `/`; lines count
from 1; calls count from 0 in the order they were made.
"""

from __future__ import annotations

import enum
from typing import Literal, NamedTuple

from compilelint.model.slotted import dataclass


class Fate(str, enum.Enum):
    """What became of a target; everything but RAN means that there is nothing to compare findings with.

    NO_ANSWER says nothing about the target: a defect of compilelint, or a full disk, kept it from being judged.
    """

    RAN = "ran"
    NO_INPUTS = "no-inputs"
    IMPORT_ERROR = "import-error"
    BUILD_ERROR = "build-error"
    EAGER_ERROR = "eager-error"
    COMPILE_ERROR = "compile-error"
    TIME_LIMIT = "time-limit"
    MEMORY_LIMIT = "memory-limit"
    EXITED = "exited"
    KILLED = "killed"
    INTERRUPTED = "interrupted"
    NO_ANSWER = "no-answer"


class Step(NamedTuple):
    """One frame of a user stack, outermost first in a stack."""

    path: str
    line: int
    function: str


@dataclass(frozen=True, slots=True)
class ObservedBreak:
    """One graph break, charged to the innermost frame of watched code.

    `first_line` to `end_line` is the statement (a compound one's head) around `line`; `break_id` is Dynamo's (empty in
    versions without ids), `reason` a `torchfacts.Reason` value, `words` Dynamo's name of the break type and
    `explanation` its text. `skips_frame` says that nothing of the frame `root` is compiled. `after` says from which
    earlier trouble the break follows, if it does.
    """

    path: str
    line: int
    first_line: int
    end_line: int
    function: str
    statement: str
    break_id: str
    reason: str
    words: str
    explanation: str
    stack: tuple[Step, ...]
    root: Step | None
    call: int
    times: int = 1
    skips_frame: bool = False
    after: str = ""


@dataclass(frozen=True, slots=True)
class SkippedFrame:
    """A frame that Dynamo leaves to Python as a whole."""

    path: str
    line: int
    function: str
    reason: str


@dataclass(frozen=True, slots=True)
class Recompile:
    """A frame compiled again: which call asked for it, the guards that failed, and the line that made the guard.

    `cause` is `inputs` where the guard reads what the caller passed, `state` where it reads what the code itself keeps.
    `instance` is a number for the module whose method it is, 0 for any other function.
    """

    path: str
    line: int
    function: str
    call: int
    guards: tuple[str, ...]
    cause: str
    source: Step | None = None
    instance: int = 0


@dataclass(frozen=True, slots=True)
class LimitHit:
    """A frame that runs eagerly because it was compiled too often."""

    path: str
    line: int
    function: str
    text: str


@dataclass(frozen=True, slots=True)
class Divergence:
    """The first thing in which the compiled run differs from the eager one.

    `name` says which (`output['loss']`, `self.step`).
    """

    kind: Literal["output", "gradient", "input", "state", "exception"]
    name: str
    call: int
    text: str


@dataclass(frozen=True, slots=True)
class Parity:
    """What was compared: `compared` values in `calls` calls. `unknown` says why nothing could be, where so."""

    calls: int
    compared: int
    divergences: tuple[Divergence, ...] = ()
    unknown: str = ""

    @property
    def holds(self) -> bool:
        """Compared, and equal within tolerance."""
        return not self.divergences and not self.unknown


@dataclass(frozen=True, slots=True)
class ExportTry:
    """One way through `torch.export` (strict, non-strict, draft): whether it works, its words if not, nodes if so."""

    way: str
    works: bool
    text: str
    nodes: int


@dataclass(frozen=True, slots=True)
class LeftOut:
    """What Inductor left out of the recording of CUDA graphs, in its words; no path where it names no line."""

    reason: str
    path: str = ""
    line: int = 0
    function: str = ""


@dataclass(frozen=True, slots=True)
class CudaGraphs:
    """How many CUDA graphs were recorded, what was not, and what a recording or a replay raised."""

    recorded: int
    left_out: tuple[LeftOut, ...] = ()
    error: str = ""

    @property
    def whole(self) -> bool:
        """Everything that was compiled was recorded."""
        return self.recorded > 0 and not self.left_out and not self.error


@dataclass(frozen=True, slots=True)
class Remnant:
    """What an older way to freeze a model left: a place in the source, or (no path, line 0) a submodule's name."""

    path: str
    line: int
    text: str


@dataclass(frozen=True, slots=True)
class TargetRun:
    """All that was seen of one target.

    `graphs` and `ops` are what the recording backend was given: an entry of `ops` a graph. `traced` maps files to the
    lines Dynamo went through. `witnesses` says, witness by witness, where their counts of breaks differ. `inputs` and
    `inputs_from` say what the model was called with. `place` is where the target is defined, if it could be found.
    `peak_memory` is what its process grew by at most, in MB. `detail` explains a fate other than RAN; `output` is the
    last of what the target printed. `exports` and `remnants` are there after `--for export` only, `cuda_graphs` after
    `--cuda-graphs`.
    """

    target: str
    fate: Fate
    detail: str = ""
    output: str = ""
    torch: str = ""
    mode: str = "eval"
    place: Step | None = None
    inputs: tuple[str, ...] = ()
    inputs_from: str = ""
    calls: int = 0
    graphs: int = 0
    ops: tuple[int, ...] = ()
    compile_seconds: float = 0.0
    seconds: float = 0.0
    peak_memory: float = 0.0
    breaks: tuple[ObservedBreak, ...] = ()
    skipped: tuple[SkippedFrame, ...] = ()
    recompiles: tuple[Recompile, ...] = ()
    limits: tuple[LimitHit, ...] = ()
    parity: Parity | None = None
    traced: tuple[tuple[str, tuple[int, ...]], ...] = ()
    witnesses: tuple[str, ...] = ()
    max_breaks: int = 0
    max_recompiles: int | None = None
    exports: tuple[ExportTry, ...] = ()
    remnants: tuple[Remnant, ...] = ()
    cuda_graphs: CudaGraphs | None = None

    @property
    def own_breaks(self) -> tuple[ObservedBreak, ...]:
        """Breaks that are not mere consequences, one for each statement."""
        first: dict[tuple[str, int], ObservedBreak] = {}
        for one in self.breaks:
            if not one.after:
                first.setdefault((one.path, one.line), one)
        return tuple(first.values())

    @property
    def within_budget(self) -> bool:
        """It ran, agreed with eager, and broke and recompiled no more often than allowed."""
        if self.fate is not Fate.RAN or (self.parity is not None and self.parity.divergences):
            return False
        if self.max_recompiles is not None and len(self.recompiles) > self.max_recompiles:
            return False
        if self.exports and not any(one.works for one in self.exports if one.way != "draft"):
            return False
        return len(self.own_breaks) <= self.max_breaks
