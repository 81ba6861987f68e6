"""CL82x: what CUDA graphs cannot record, where a mode asks for them. Measured on GPUs with torch 2.11."""

from __future__ import annotations

from collections.abc import Iterator

from compilelint.checks.breaks import short
from compilelint.checks.trees import on_compile_calls
from compilelint.checks.written import described
from compilelint.events import Branch, Unrecorded, WrapperUse
from compilelint.model import Doubt, Effect, Finding, Related, Rule
from compilelint.rulebook import at, check
from compilelint.torchfacts import TorchFacts
from compilelint.values import OriginKind, Scalar, Tensor, tensor_arm

CUDAGRAPH_INPUT_WRITTEN = Rule(
    "CL820", "cudagraph-input-written", "an input is written in place where CUDA graphs are recorded", Effect.CUDAGRAPH
)
CUDAGRAPH_OUTPUT_KEPT = Rule(
    "CL821", "cudagraph-output-kept", "results of CUDA graphs are kept across runs", Effect.ERROR
)
CUDAGRAPH_SIZES = Rule(
    "CL822", "cudagraph-sizes", "`dynamic=True` where a CUDA graph is recorded for every size", Effect.CUDAGRAPH
)

CUDAGRAPH_SPLIT = Rule("CL823", "cudagraph-split", "a line runs on the host, between two CUDA graphs", Effect.CUDAGRAPH)
CUDAGRAPH_REFUSED = Rule(
    "CL824",
    "cudagraph-refused",
    "the capture of a CUDA graph refuses an operation",
    Effect.ERROR,
    more_effects=(Effect.CUDAGRAPH,),
)
CUDAGRAPH_NOT_REPLAYED = Rule(
    "CL826", "cudagraph-not-replayed", "calls that ask for CUDA graphs never replay one", Effect.CUDAGRAPH
)
CUDAGRAPH_STATE = Rule(
    "CL825",
    "cudagraph-state",
    "the next call reads a result of a CUDA graph from state",
    Effect.ERROR,
    more_effects=(Effect.CUDAGRAPH,),
)


@check(CUDAGRAPH_INPUT_WRITTEN, on=Unrecorded)
def cudagraph_input_written(event: Unrecorded, facts: TorchFacts) -> Iterator[Finding]:
    """`x.add_(1)` of an argument, under `mode="reduce-overhead"`."""
    if event.how == "input-written":
        yield _found(
            CUDAGRAPH_INPUT_WRITTEN,
            event,
            f"{_operation(event)} writes {described(event, event.value)} in place",
            "A CUDA graph reads copies of its inputs and would lose the write, so torch records none here.",
            "return the new value instead, or keep the tensor in a buffer of the module, which may be written",
        )


@check(CUDAGRAPH_SPLIT, on=Unrecorded)
def cudagraph_split(event: Unrecorded, facts: TorchFacts) -> Iterator[Finding]:
    """`x * self.scale` with a number on the host, `torch.cond`, `x[mask] = row`."""
    if event.how == "host-number":
        message = f"{_operation(event)} takes {described(event, event.value)}, a number on the host"
        why = "Its value may change between calls, so it is copied to the device before every run of the CUDA graph."
        help_ = "register it as a buffer, or make it a Python number if it never changes"
    elif event.how == "drawn-number":
        message = f"{_operation(event)} takes a number of Python's `random`"
        why = "The number changes on every call, so it is copied to the device before every run of the CUDA graph."
        help_ = "draw it on the device: `torch.rand((), device=x.device)`"
    elif event.how == "number-between":
        message = f"{_operation(event)} takes a number that Python makes between two graphs"
        why = "Where it changes between calls, it becomes a tensor on the host, copied to the device before every run."
        help_ = "keep it on the device: compute it with tensors, or pass it in as a tensor that is there"
    elif event.how == "host-index":
        message = f"an index is on the host: {described(event, event.value)}"
        why = "Each call copies it to the device, which the capture of a CUDA graph refuses."
        help_ = "make it on the device with `device=x.device`, or register it as a buffer"
    elif event.how == "host-work":
        message = f"{_operation(event)} of {described(event, event.value)} runs on the host"
        why = "Inductor makes constants on the device, but not what this operation computes of them: it is then copied."
        help_ = "pass `device=x.device` to the call that makes it, or compute it once and register it as a buffer"
    elif event.how == "mask-write":
        message = f"items are stored under a mask: {described(event, event.value)}"
        why = "The mask is turned into positions, whose number the host must know: the CUDA graph is split in two here."
        help_ = "`torch.where(mask, value, x)` keeps the size (unsqueeze the mask where the value is a row)"
    elif event.how == "moved-once":
        message = f"the first call copies `{event.name}` from the host"
        why = "The copy splits the CUDA graph of that call, and the next call compiles another: the device has changed."
        help_ = "register it as a buffer (`persistent=False` keeps it out of the state), which moves with its module"
    elif event.how == "tagged":
        message = f"the operator {_operation(event)} is tagged `cudagraph_unsafe`"
        why = "Inductor ends the CUDA graph here, runs the operator, and begins another."
        help_ = "leave the tag out if its kernel reads nothing on the host"
    elif event.how == "control-flow":
        message = f"{_operation(event)} runs between CUDA graphs"
        why = "The host decides which branch runs, so the graph around it is not recorded."
        help_ = "`torch.where` of both results, if both are cheap"
    else:
        return
    yield _found(CUDAGRAPH_SPLIT, event, message, why, help_)


@check(CUDAGRAPH_SPLIT, on=Branch)
def cudagraph_test_on_host(event: Branch, facts: TorchFacts) -> Iterator[Finding]:
    """`if self.sigmas[i] < 1.0`, of a table that lies on the host: the graph that the test ends computes there."""
    context = event.site.context
    tensor = tensor_arm(event.condition)
    if tensor is None or not context.config.records_cuda_graphs or not context.linted:
        return
    if context.root_kind != "unreached" and _is_computed_on_host(tensor):
        yield at(
            CUDAGRAPH_SPLIT,
            event,
            f"the test reads {described(event, tensor)}, which is computed on the host",
            confidence=Doubt.DEVICE_FOLLOWED.lower(tensor.confidence),
            because=[tensor.origin],
            why="The graph ends at the test, and what it computes on the host is not part of a CUDA graph.",
            help="keep such numbers as Python numbers (`table.tolist()`), which need no graph",
        )


def _is_computed_on_host(tensor: Tensor) -> bool:
    """Whether a tensor is the result of an operation on one that outlives the call and lies on the host."""
    if tensor.device != "cpu" or tensor.array:
        return False
    step, computed = tensor.origin, False
    while step is not None:
        if step.kind in (OriginKind.HELD, OriginKind.GLOBAL):
            return computed
        computed = computed or step.kind is OriginKind.RESULT
        step = step.parent
    return False


@check(CUDAGRAPH_REFUSED, on=Unrecorded)
def cudagraph_refused(event: Unrecorded, facts: TorchFacts) -> Iterator[Finding]:
    """`torch.linalg.eigh(x)`, under `mode="reduce-overhead"`."""
    if event.how == "refused":
        yield _found(
            CUDAGRAPH_REFUSED,
            event,
            f"{_operation(event)} cannot be captured in a CUDA graph",
            "It reads a result back to the host while it runs, and the capture raises.",
            "call it outside the compiled region, or in a function under `torch.compiler.disable`",
        )


@check(CUDAGRAPH_STATE, on=Unrecorded)
def cudagraph_state(event: Unrecorded, facts: TorchFacts) -> Iterator[Finding]:
    """`self.state = torch.tanh(x + self.state)`, under `mode="reduce-overhead"`."""
    if event.how == "kept-output":
        yield _found(
            CUDAGRAPH_STATE,
            event,
            f"`{event.name}` keeps a result of the CUDA graph for the next call",
            "The next run of the CUDA graph writes its results over that memory, and reading the older one raises.",
            "keep it in a buffer that is written in place (`self.state.copy_(...)`), or return it and pass it in",
        )


def _found(rule: Rule, event: Unrecorded, message: str, why: str, help_: str) -> Finding:
    origin = event.value.origin if isinstance(event.value, (Tensor, Scalar)) else None
    return at(rule, event, message, confidence=event.sure, because=[origin], why=why + _condition(event), help=help_)


def _condition(event: Unrecorded) -> str:
    """Which calls are meant, where others leave out what leads there."""
    names = [f"`{name}`" for name in event.given]
    listed = f"{', '.join(names[:-1])} and {names[-1]}" if len(names) > 1 else "".join(names)
    said = f" This way is taken only by calls that pass {listed}." if names else ""
    if event.unless:
        said += f" Weights of `torch.float32` take it, others may not: code around it asks for `{event.unless}`."
    return said


def _operation(event: Unrecorded) -> str:
    return f"`{short(event.name)}`"


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


_LOST = {
    "kept": (
        "a result of a CUDA graph is read after a later run has written over it",
        "copy what is kept outside the compiled region, `y = model(x).clone()` (or `.cpu()`, or write it into your own "
        "memory: `bank[i] = y`)",
    ),
    "fed": (
        "a result of a CUDA graph is given to a run that writes over it",
        "call `torch.compiler.cudagraph_mark_step_begin()` once before each step, so that all calls of the step belong "
        "together, or pass `y.clone()`",
    ),
    "gradient": (
        "a backward pass adds to gradients that a later run has written over",
        "give gradients memory of their own once, `p.grad = torch.zeros_like(p)`, and clear them with "
        "`zero_grad(set_to_none=False)`; or accumulate in the default mode",
    ),
}


@check(CUDAGRAPH_OUTPUT_KEPT, on=WrapperUse)
def cudagraph_output_overwritten(event: WrapperUse, facts: TorchFacts) -> Iterator[Finding]:
    """What a recorded call gave, kept over a later call."""
    if event.how == "overwritten":
        title, remedy = _LOST[event.name]
        given = [] if event.given is None else [Related(event.given, "given by this call")]
        yield at(
            CUDAGRAPH_OUTPUT_KEPT,
            event,
            title,
            confidence=event.sure,
            because=[event.compiled_here, *given],
            why="All CUDA graphs share one pool of memory, and a call uses it again from the start unless a backward "
            "pass is still to come. Reading what was there raises, or gives the values of the later run.",
            help=remedy,
        )


_NOT_REPLAYED = {
    "thread": (
        "the first call that records a CUDA graph is made in a worker thread",
        "The graphs of a process are kept for the thread that started them; a call in another thread fails with an "
        "assertion.",
        "call the model once for each size where the service starts, before any thread, or let one thread do all calls",
    ),
    "pending": (
        "no backward pass follows these calls, so that their CUDA graphs are not replayed",
        "With gradients each call waits for its backward pass before memory is used again: the slow path.",
        "call it under `torch.inference_mode()` or `torch.no_grad()`",
    ),
}


@check(CUDAGRAPH_NOT_REPLAYED, on=WrapperUse)
def cudagraph_not_replayed(event: WrapperUse, facts: TorchFacts) -> Iterator[Finding]:
    """Recorded calls in a worker thread, or with gradients and no backward pass."""
    if event.how in _NOT_REPLAYED:
        title, why, remedy = _NOT_REPLAYED[event.how]
        also = [Effect.ERROR] if event.how == "thread" else []
        yield at(
            CUDAGRAPH_NOT_REPLAYED,
            event,
            title,
            confidence=event.sure,
            because=[event.compiled_here],
            why=why,
            help=remedy,
            also=also,
        )


ON_TREES = on_compile_calls(CUDAGRAPH_SIZES)
