"""CL82x: what CUDA graphs cannot record, where a mode asks for them. Measured on an H200 with torch 2.11."""

from __future__ import annotations

from collections.abc import Iterator

from compilelint.checks.breaks import described, short
from compilelint.events import Call, Compile, Event, Index, WrapperUse
from compilelint.model import Doubt, Effect, Finding, Related, Rule
from compilelint.rulebook import at, check
from compilelint.torchfacts import TorchFacts
from compilelint.values import Source, Tensor, Value

CUDAGRAPH_INPUT_WRITTEN = Rule(
    "CL820", "cudagraph-input-written", "an input is written in place where CUDA graphs are recorded", Effect.CUDAGRAPH
)
CUDAGRAPH_OUTPUT_KEPT = Rule(
    "CL821", "cudagraph-output-kept", "results of CUDA graphs are kept over the next run", Effect.ERROR
)
CUDAGRAPH_SIZES = Rule(
    "CL822", "cudagraph-sizes", "`dynamic=True` where a CUDA graph is recorded for every size", Effect.CUDAGRAPH
)

_RECORDING = frozenset({"reduce-overhead", "max-autotune"})
# They end in an underscore and write no data.
_NO_DATA = frozenset({"requires_grad_", "retain_grad_", "share_memory_", "rename_", "is_shared_", "detach_"})


def _records(event: Event) -> bool:
    return event.site.context.config.mode in _RECORDING and event.site.context.root_kind == "explicit"


@check(CUDAGRAPH_INPUT_WRITTEN, on=Call)
def cudagraph_input_written(event: Call, facts: TorchFacts) -> Iterator[Finding]:
    """`x.add_(1)` of an argument, under `mode="reduce-overhead"`."""
    name = event.name.rpartition(".")[2]
    writes = event.name.startswith("torch.Tensor.") and name.endswith("_") and not name.endswith("__")
    if writes and name not in _NO_DATA and _records(event):
        yield from _input_written(event, event.receiver, f"`{short(event.name)}` writes")


@check(CUDAGRAPH_INPUT_WRITTEN, on=Index)
def cudagraph_input_stored(event: Index, facts: TorchFacts) -> Iterator[Finding]:
    """`x[0] = 1` of an argument, under `mode="reduce-overhead"`."""
    if event.store and _records(event):
        yield from _input_written(event, event.value, "an item is stored in")


def _input_written(event: Event, value: Value | None, how: str) -> Iterator[Finding]:
    if isinstance(value, Tensor) and value.source is Source.INPUT and not value.array:
        yield at(
            CUDAGRAPH_INPUT_WRITTEN,
            event,
            f"{how} {described(value)}",
            confidence=value.confidence,
            because=[value.origin],
            why="A CUDA graph reads copies of its inputs and would lose the write, so torch records none here.",
            help="return the new value instead, or keep the tensor in a buffer of the module, which may be written",
        )


@check(CUDAGRAPH_OUTPUT_KEPT, on=WrapperUse)
def cudagraph_output_kept(event: WrapperUse, facts: TorchFacts) -> Iterator[Finding]:
    """`kept.append(compiled(x))` in a loop, under `mode="reduce-overhead"`."""
    if event.how == "kept-output":
        yield at(
            CUDAGRAPH_OUTPUT_KEPT,
            event,
            f"the result of `{event.name}` is kept while it runs again",
            confidence=event.sure,
            because=[Related(event.made, "compiled here")],
            why="Every run of a CUDA graph writes its results to the same memory; reading an older one raises.",
            help="copy it outside the compiled region: `.clone()` (inside, the compiler removes the copy's effect)",
        )


@check(CUDAGRAPH_SIZES, on=Compile)
def cudagraph_sizes(event: Compile, facts: TorchFacts) -> Iterator[Finding]:
    """`torch.compile(m, mode="reduce-overhead", dynamic=True)`."""
    if event.use == "recorded-sizes":
        yield at(
            CUDAGRAPH_SIZES,
            event,
            f"`{event.target}` records a CUDA graph for each size it sees",
            confidence=Doubt.SIZES_UNKNOWN.cap,
            why="The code is compiled once for all sizes, but each new size records another CUDA graph.",
            help="pad inputs to a few sizes and leave `dynamic` out, or use a mode without CUDA graphs",
        )
