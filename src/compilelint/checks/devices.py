"""CL3xx: devices and dtypes. Copies between host and device trace into the graph, and the graph then waits for them.

None of these lines ends a graph. What each costs was measured on a GPU, eager and compiled: the pages say so.
"""

from __future__ import annotations

from collections.abc import Iterator

from compilelint.checks.breaks import short
from compilelint.checks.written import described, written
from compilelint.events import Placed
from compilelint.model import Confidence, Doubt, Effect, Finding, Known, Rewrite, Rule, Safety, weakest
from compilelint.rulebook import at, check
from compilelint.torchfacts import TorchFacts
from compilelint.values import OriginKind, Tensor

HOST_BUILT_TENSOR = Rule(
    "CL301",
    "host-built-tensor",
    "a tensor is made on the host and then moved to a device",
    Effect.SYNC,
    fix=Safety.UNSAFE,
)
HOST_KEPT_TENSOR = Rule(
    "CL302",
    "host-kept-tensor",
    "a tensor that stays on the host is copied to the device on every call",
    Effect.SYNC,
    fix=Safety.UNSAFE,
)
COPY_TO_HOST = Rule("CL303", "copy-to-host", "a computed tensor is copied to the host", Effect.SYNC)
HOST_ROUND_TRIP = Rule("CL304", "host-round-trip", "a tensor goes to the host and back", Effect.SYNC, fix=Safety.UNSAFE)
UNFINISHED_COPY = Rule(
    "CL305", "unfinished-copy", "a copy to the host is used without waiting for it", Effect.WRONG_RESULT
)
DEVICE_LITERAL = Rule("CL306", "device-literal", "a device is named in the region", Effect.ERROR, fix=Safety.UNSAFE)
DEVICE_MISMATCH = Rule(
    "CL307", "device-mismatch", "a tensor made on the host is used with those of the module", Effect.ERROR
)
TENSORS_READ_INTO_TENSOR = Rule(
    "CL308", "tensors-read-into-tensor", "a tensor is made from a list of tensors, each read by the host", Effect.SYNC
)
DTYPE_ROUND_TRIP = Rule("CL309", "dtype-round-trip", "a tensor is cast to a wider dtype and straight back", Effect.SLOW)
MODULE_MOVED = Rule("CL310", "module-moved", "a module is moved to a device on every call", Effect.SLOW)

# What is copied, drawn or read on the host runs between two recordings (`benchmarks/cudagraphs`); a constant that is
# made on the host is made on the device by Inductor.
_SPLITTING = frozenset({"host-random", "host-kept", "to-host", "async-host", "round-trip", "read-into-tensor"})
_WAITS = "The host waits for all queued device work, then the device waits for the host"


@check(HOST_BUILT_TENSOR, on=Placed)
def host_built_tensor(event: Placed, facts: TorchFacts) -> Iterator[Finding]:
    """`torch.arange(n).to(x.device)`."""
    if event.how == "host-random":
        why = f"{_WAITS}: the numbers are drawn on the host on every call, which no compiler may move."
        help_ = f"draw on the device: `torch.{event.detail}(..., device=x.device)` (other numbers for the same seed)"
    elif event.how == "host-built":
        why = (
            f"{_WAITS}, in eager code and under backends other than Inductor; Inductor builds constants on the device."
        )
        help_ = "make it where it is needed: pass `device=x.device` to the call that makes it"
    else:
        return
    text = written(event, event.receiver)
    what = f"`{text}` is made" if text else f"made by `{event.detail}`"
    message = f"{what} on the host, then copied to the device by `{short(event.name)}`"
    dtype = event.receiver.dtype if isinstance(event.receiver, Tensor) else ""
    known = (("random", event.how == "host-random"), *((("dtype", dtype),) if dtype else ()))
    yield _cost_finding(HOST_BUILT_TENSOR, event, message, why, help_, rewrite=Rewrite("host-built", known))


@check(HOST_KEPT_TENSOR, on=Placed)
def host_kept_tensor(event: Placed, facts: TorchFacts) -> Iterator[Finding]:
    """`self.table.to(x.device)` where `self.table` is no buffer."""
    if event.how == "host-kept":
        yield _cost_finding(
            HOST_KEPT_TENSOR,
            event,
            f"{_kept(event)} is copied from the host to the device on every call",
            f"It is not a buffer, so `.to()` of the module leaves it on the host. {_WAITS}.",
            "register it as a buffer: `self.register_buffer(name, tensor, persistent=False)`",
            rewrite=Rewrite("host-kept"),
        )


def _kept(event: Placed) -> str:
    text = written(event, event.receiver)
    return f"`{text}`" if text else f"a tensor ({event.detail})"


@check(COPY_TO_HOST, on=Placed)
def copy_to_host(event: Placed, facts: TorchFacts) -> Iterator[Finding]:
    """`.cpu()` of what the region computed."""
    if event.how == "to-host":
        yield _cost_finding(
            COPY_TO_HOST,
            event,
            f"`{event.name}` copies {described(event, event.receiver)} to the host",
            "This forces a device sync, and CUDA graphs are split in two here.",
            "keep it on the device, and copy what leaves the region after the compiled call",
        )


@check(HOST_ROUND_TRIP, on=Placed)
def host_round_trip(event: Placed, facts: TorchFacts) -> Iterator[Finding]:
    """`x.cpu()...to(x.device)`."""
    if event.how == "round-trip":
        yield _cost_finding(
            HOST_ROUND_TRIP,
            event,
            f"`{event.name}` brings back {_brought(event)} was copied to the host ({event.detail})",
            f"Two copies, each with a device sync: {_WAITS[0].lower()}{_WAITS[1:]}, and CUDA graphs are split in two.",
            "stay on the device; where an operation exists for the host only, do it before the compiled region",
            rewrite=Rewrite("round-trip", tuple(_copied_at(event))),
        )


def _brought(event: Placed) -> str:
    text = written(event, event.receiver)
    return f"`{text}`, which" if text else "what"


def _copied_at(event: Placed) -> Iterator[Known]:
    """Where the copy to the host stands; nothing where it went through NumPy, or lies in another file."""
    step = event.receiver.origin if isinstance(event.receiver, Tensor) else None
    while step is not None:
        if step.kind is OriginKind.ATTRIBUTE and step.what == ".numpy()":
            return
        if step.kind is OriginKind.TO_HOST or (step.kind is OriginKind.RESULT and step.what == ".cpu"):
            break
        step = step.parent
    if step is None or step.place is None:
        return
    where, pos = step.place
    location = where.location(pos)
    if location.path == event.site.location.path:
        span = location.span
        yield from (("line", span.line), ("column", span.column))
        yield from (("end_line", span.end_line), ("end_column", span.end_column))


@check(UNFINISHED_COPY, on=Placed)
def unfinished_copy(event: Placed, facts: TorchFacts) -> Iterator[Finding]:
    """`.to("cpu", non_blocking=True)`."""
    if event.how == "async-host":
        yield _cost_finding(
            UNFINISHED_COPY,
            event,
            f"`{event.name}` returns before {described(event, event.receiver)} has arrived on the host",
            "Until the device is synchronized, the host reads whatever that memory held before.",
            "leave out `non_blocking=True`, or call `torch.cuda.synchronize()` before the result is read",
            Doubt.READ_AT_ONCE_UNKNOWN.cap,
        )


@check(DEVICE_LITERAL, on=Placed)
def device_literal(event: Placed, facts: TorchFacts) -> Iterator[Finding]:
    """`.cuda()`, `.to("cuda")`, `device="cuda"`."""
    if event.how == "literal":
        yield _cost_finding(
            DEVICE_LITERAL,
            event,
            f"`{event.name}` names the device `{event.detail}`",
            "With the module on the host or on another kind of device this raises; on a second GPU it copies.",
            "take the device from a tensor of the call: `device=x.device`",
            rewrite=Rewrite("device-literal", (("peer", event.peer),)),
        )


@check(DEVICE_MISMATCH, on=Placed)
def device_mismatch(event: Placed, facts: TorchFacts) -> Iterator[Finding]:
    """`layer(x) + torch.zeros(4)`."""
    if event.how == "mismatch":
        yield _cost_finding(
            DEVICE_MISMATCH,
            event,
            f"`{event.name}` meets a tensor on the host ({event.detail}), which fails if the module is on a device",
            "Only 0-d tensors may be on another device: eager and compiled code raise.",
            "pass `device=x.device` to the call that makes it",
        )


@check(TENSORS_READ_INTO_TENSOR, on=Placed)
def tensors_read_into_tensor(event: Placed, facts: TorchFacts) -> Iterator[Finding]:
    """`torch.tensor([a.mean(), b.max()])`."""
    if event.how == "read-into-tensor":
        count = f"{event.detail} tensors" if event.detail not in ("", "1") else "every tensor in the list"
        yield _cost_finding(
            TENSORS_READ_INTO_TENSOR,
            event,
            f"`{event.name}` reads {count} on the host",
            "Each one forces a device sync, the new tensor is copied back, and gradients stop here.",
            "join them on the device: `torch.stack([...])`",
        )


@check(DTYPE_ROUND_TRIP, on=Placed)
def dtype_round_trip(event: Placed, facts: TorchFacts) -> Iterator[Finding]:
    """`x.float().half()`."""
    if event.how == "dtype-round-trip":
        yield _cost_finding(
            DTYPE_ROUND_TRIP,
            event,
            f"`{event.name}` narrows what `.{event.detail.removeprefix('.')}()` has just widened",
            "Nothing was computed in between: eager code reads and writes the tensor once more for nothing.",
            "convert once, to the dtype that is wanted",
        )


@check(MODULE_MOVED, on=Placed)
def module_moved(event: Placed, facts: TorchFacts) -> Iterator[Finding]:
    """`self.layer.to(x.device)`."""
    if event.how == "module-moved":
        why = (
            "Every call checks every parameter, even when none has to move, and the graph gets a conversion and a "
            "write for each. If they do move, all are copied and the graph breaks."
        )
        message = f"`{event.name}` moves a module on every call"
    elif event.how == "module-to-host":
        why = (
            "Each parameter is copied back, with a device sync each; before the next call they are copied to "
            "the device again."
        )
        message = f"`{event.name}` copies a module's parameters to the host on every call"
    else:
        return
    yield _cost_finding(MODULE_MOVED, event, message, why, "move the model once, before it is compiled")


def _cost_finding(
    rule: Rule,
    event: Placed,
    message: str,
    why: str,
    help_: str,
    most: Confidence | None = None,
    rewrite: Rewrite | None = None,
) -> Finding:
    tensor = event.receiver
    sure = event.sure if most is None else weakest(event.sure, most)
    origin = tensor.origin if isinstance(tensor, Tensor) else None
    splits = event.how in _SPLITTING and event.site.context.config.records_cuda_graphs
    return at(
        rule,
        event,
        message,
        confidence=sure,
        because=[origin],
        why=why,
        help=help_,
        rewrite=rewrite,
        also=(Effect.CUDAGRAPH,) if splits else (),
    )
