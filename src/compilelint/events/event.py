"""What every event has: a place in a frame, how the frame was reached, and what Dynamo does there."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Literal, Protocol, TypeAlias

from compilelint.model import CallSite, Confidence, Location
from compilelint.model.slotted import dataclass
from compilelint.torchfacts import Capture, Fact
from compilelint.torchfacts.switches import Switch

RootKind: TypeAlias = Literal[
    "explicit", "forward", "autograd", "unreached", "all", "glob", "class", "module", "host", "survey"
]
"""How a function became a compile root. The last four are none: class bodies, module level, hosts, the survey."""


UNSPLIT = frozenset({"for", "while", "try", "finally", "with"})
"""Statements in which Dynamo cannot split a frame: a break there leaves the frame to Python. `finally` is what stands
before one in its `try`, where no error is caught; the `finally` itself is split (2.13 and 2.15)."""

_FORMATS = frozenset({"export", "exporter", "onnx", "coreml", "tensorrt", "trt", "torchscript", "tflite", "openvino"})

RECORDING_MODES = frozenset({"reduce-overhead", "max-autotune"})


RAISES = Switch("error_on_graph_break")


@dataclass(frozen=True, slots=True)
class DynamoConfig:
    """The part of a root's Dynamo configuration that changes the answer; torch's defaults unless given otherwise."""

    fullgraph: bool = False
    export: bool = False
    captures: frozenset[Capture] = frozenset()
    dynamic: bool | None = None
    mode: str | None = None
    switches: frozenset[Switch] = frozenset()

    @property
    def records_cuda_graphs(self) -> bool:
        """Whether the mode asks for CUDA graphs."""
        return self.mode in RECORDING_MODES

    @property
    def raises(self) -> bool:
        """Whether a graph that ends is an error: by `fullgraph`, in an export, by `error_on_graph_break(True)`."""
        return self.fullgraph or self.export or RAISES in self.switches

    def raising(self, on: bool) -> DynamoConfig:
        """The same under `error_on_graph_break(on)`, which changes nothing else."""
        return replace(self, switches=self.switches | {RAISES} if on else self.switches - {RAISES})

    def breaks(self, outcome: Fact) -> bool:
        """Whether a graph ends there; under `fullgraph` and export, compilation stops there with an error."""
        if self.switches and any(outcome.gb_id in switch.ids for switch in self.switches):
            return False
        return outcome.breaks_under(fullgraph=self.fullgraph or self.export, captures=self.captures)

    def logs(self, name: str) -> bool:
        """Whether a function is set to be left out of graphs without ending them, as one that writes a log."""
        return any(name in switch.functions for switch in self.switches)


DEFAULT = DynamoConfig()


class Where(Protocol):
    """A file that can turn a packed position into a location (`syntax.ir.Module`)."""

    @property
    def path(self) -> str: ...

    def location(self, pos: int) -> Location: ...


@dataclass(frozen=True, slots=True)
class Context:
    """The frame an event happens in: the function, how it was reached, and from which root.

    `caller` and `call_pos` lead back to the root. `linted` says that findings may lie in this file; `root` is the
    root's name and `root_kind` how it became one.
    `host_class` says that the root is a method of a class that is not a module (a pipeline, a trainer): of all that
    nothing compiled reaches, the least likely to be compiled. `place` is the place of a function that is called under
    that doubt, where another part of the project may take it back. `given` are the optional arguments that the calls
    on the way are known to pass. `takes_tensors` says, in a root that nothing compiled reaches, that tensors go through
    this very function. `pos` is the place of a root's `def`.
    """

    where: Where
    function: str
    linted: bool
    root: str
    root_kind: RootKind
    caller: Context | None = None
    call_pos: int = 0
    config: DynamoConfig = DEFAULT
    host_class: bool = False
    place: str = ""
    given: tuple[str, ...] = ()
    takes_tensors: bool = False
    pos: int = 0

    @property
    def is_export(self) -> bool:
        """Whether the file makes another format of a model, by its name: `onnx_export.py`, `model_onnx.py`."""
        words = self.where.path.rpartition("/")[2].removesuffix(".py").lower().split("_")
        return not _FORMATS.isdisjoint(words)

    def doubted(self) -> Iterator[str]:
        """The places of the functions between here and the root that are called under the root's doubt."""
        here: Context | None = self
        while here is not None and here.host_class:
            if here.place:
                yield here.place
            here = here.caller

    @property
    def root_place(self) -> tuple[str, int]:
        """The file and the line of the root's `def`; line 0 where it is not known."""
        here = self
        while here.caller is not None:
            here = here.caller
        return here.where.path, here.where.location(here.pos).span.line if here.pos else 0

    def chain(self) -> tuple[CallSite, ...]:
        """The calls from the root down to this frame, outermost first."""
        steps: list[CallSite] = []
        here: Context | None = self
        while here is not None and here.caller is not None:
            steps.append(CallSite(here.caller.where.location(here.call_pos), here.caller.function))
            here = here.caller
        return tuple(reversed(steps))


@dataclass(frozen=True, slots=True)
class Choice:
    """Which of the callees that may stand at a call do what an event says: their names, and how many there are."""

    names: tuple[str, ...]
    of: int


@dataclass(frozen=True, slots=True)
class Site:
    """A place in a frame.

    `blocks` are the enclosing `for`, `while`, `try` and `with` statements of the frame, outermost first: a break in
    one of them skips the whole frame. `cap` is the most that may be claimed here.
    `after_skip` says that an earlier certain break already made Dynamo skip this frame, `resumed` that earlier ones
    split it, so that what stands before the last of them is compiled whatever happens here. `inner` is the place inside
    a file that is not linted where it really happens; the site itself is then the call that leads there, or, where it
    `compiles`, the compile call. `choice` names the callees, of several that may be called there, that do it.
    """

    context: Context
    pos: int
    blocks: tuple[str, ...] = ()
    cap: Confidence = Confidence.CERTAIN
    after_skip: bool = False
    inner: Site | None = None
    choice: Choice | None = None
    resumed: bool = False
    compiles: bool = False

    @property
    def location(self) -> Location:
        return self.context.where.location(self.pos)

    @property
    def in_callee(self) -> bool:
        """Whether it happens in a function that is called here: that frame may be left to Python; this one is split."""
        return self.inner is not None and not self.compiles


@dataclass(frozen=True, slots=True)
class Event:
    """The common part."""

    site: Site
    outcome: Fact | None

    @property
    def breaks(self) -> bool:
        """Whether a graph ends here under the configuration of the root."""
        return self.outcome is not None and self.site.context.config.breaks(self.outcome)
