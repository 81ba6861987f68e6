"""CL4xx: memory. Storage that a graph of operations does not know, and orders of memory that an operation refuses."""

from __future__ import annotations

from collections.abc import Iterator

from compilelint.checks.breaks import Words, on_break, spelled
from compilelint.checks.written import described, subject, written
from compilelint.events import Call, Event, Placed
from compilelint.model import Effect, Finding, Rewrite, Rule, Safety
from compilelint.rulebook import at, check
from compilelint.torchfacts import Reason, TorchFacts
from compilelint.values import Tensor

TENSOR_RESIZE = Rule(
    code="CL410",
    name="tensor-resize",
    summary="the storage of a tensor is resized or replaced in place",
    effect=Effect.GRAPH_BREAK,
    breaks=(Reason.TENSOR_RESIZE.value,),
)
STORAGE_ACCESS = Rule(
    code="CL411",
    name="storage-access",
    summary="the storage or address of a tensor is read or shared",
    effect=Effect.GRAPH_BREAK,
    breaks=(Reason.TENSOR_SHARING.value,),
)


@on_break(TENSOR_RESIZE)
def tensor_resize(event: Event) -> Words:
    """`resize_`, `resize_as_`, `set_`, and views in place of what the graph is given: `x.t_()`, `x.detach_()`."""
    if isinstance(event, Call) and event.name.rpartition(".")[2] not in ("resize_", "resize_as_", "set_"):
        return Words(
            f"{spelled(event)} changes the shape or strides of a graph input in place",
            "Dynamo guards an input's shape, strides and autograd history; a graph cannot change them.",
            "make a view: `x.t()`, `x.unsqueeze(0)`, `x.detach()`, and use that",
        )
    why = "Dynamo tracks shapes through operations and cannot trace a change of the storage's size."
    return Words(
        f"{spelled(event)} resizes the storage of {subject(event)}",
        why,
        "make a new tensor: `new_empty`, `F.pad`, `x[:n]`",
    )


@on_break(STORAGE_ACCESS)
def storage_access(event: Event) -> Words:
    """`storage()`, `storage_offset()`, DLPack, shared memory."""
    why = "A traced tensor is fake: it has a shape and a dtype but no storage to read or share."
    help_ = "do it before or after the compiled region; inside, keep to operations on the values"
    return Words(f"{spelled(event)} accesses the storage of {subject(event)}", why, help_)


# ------------------------------------------------- lines that end no graph

VIEW_OF_PERMUTED = Rule(
    "CL401",
    "view-of-permuted",
    "`view` merges dimensions that are not adjacent in memory",
    Effect.ERROR,
    fix=Safety.UNSAFE,
)
EXPANDED_WRITE = Rule(
    "CL402",
    "expanded-write",
    "an expanded tensor is written in place",
    Effect.WRONG_RESULT,
    more_effects=(Effect.ERROR,),
)
SPLIT_WRITE = Rule("CL403", "split-write", "one of several views is written in place", Effect.ERROR)
NEEDLESS_CONTIGUOUS = Rule(
    "CL404", "needless-contiguous", "a transposed operand of a matrix product is copied first", Effect.SLOW
)
MEMORY_FORMAT_INSIDE = Rule(
    "CL405", "memory-format-inside", "the memory format is changed inside the region", Effect.SLOW
)
STRIDED_OUT = Rule("CL406", "strided-out", "`out=` is a tensor that is not contiguous", Effect.GRAPH_BREAK)

EMPTY_OUT = Rule("CL407", "empty-out", "`out=` is a tensor without elements", Effect.GRAPH_BREAK)


@check(VIEW_OF_PERMUTED, on=Placed)
def view_of_permuted(event: Placed, facts: TorchFacts) -> Iterator[Finding]:
    """`x.transpose(1, 2).view(b, -1)`."""
    if event.how == "view":
        yield _layout_finding(
            VIEW_OF_PERMUTED,
            event,
            f"`.view()` cannot merge the dimensions of {described(event, event.receiver)}",
            "A view cannot move data, and these dimensions are not adjacent in memory: torch raises.",
            "use `.reshape(...)`, which copies where it must",
            Rewrite("view"),
        )


@check(EXPANDED_WRITE, on=Placed)
def expanded_write(event: Placed, facts: TorchFacts) -> Iterator[Finding]:
    """`x.expand(4, -1).add_(1)`."""
    if event.how == "expanded":
        text = written(event, event.receiver)
        message = f"`{event.name}` writes {f'`{text}`, ' if text else ''}an expanded tensor"
        why = "Several of its elements share memory: both eager and compiled code raise."
    elif event.how == "expanded-item":
        message = "a write into one row of an expanded tensor changes them all"
        why = "All rows share memory, so eager and compiled code agree on the wrong result."
    else:
        return
    yield _layout_finding(
        EXPANDED_WRITE, event, message, why, "copy first: `.expand(...).clone()`, or use `.repeat(...)`"
    )


@check(SPLIT_WRITE, on=Placed)
def split_write(event: Placed, facts: TorchFacts) -> Iterator[Finding]:
    """`a, b = x.chunk(2); a += b`."""
    if event.how == "multi-view":
        yield _layout_finding(
            SPLIT_WRITE,
            event,
            f"`{event.name}` writes one of several views ({event.detail})",
            "Autograd cannot follow a write into one of several views of one call: with gradients, torch raises.",
            "write out of place (`a = a + b`), or take the part by slicing",
        )


@check(NEEDLESS_CONTIGUOUS, on=Placed)
def needless_contiguous(event: Placed, facts: TorchFacts) -> Iterator[Finding]:
    """`torch.matmul(x.transpose(1, 2).contiguous(), y)`."""
    if event.how == "contiguous":
        yield _layout_finding(
            NEEDLESS_CONTIGUOUS,
            event,
            f"`{event.name}` gets a contiguous copy of a transposed tensor",
            "Matrix products take transposed operands as they are; the copy reads and writes the tensor once more.",
            "leave out `.contiguous()`",
        )


@check(MEMORY_FORMAT_INSIDE, on=Placed)
def memory_format_inside(event: Placed, facts: TorchFacts) -> Iterator[Finding]:
    """`x.to(memory_format=torch.channels_last)`."""
    if event.how == "memory-format":
        yield _layout_finding(
            MEMORY_FORMAT_INSIDE,
            event,
            f"`{event.name}` changes the memory format on every call",
            "Each change of format copies the whole tensor, once in each repeated block.",
            "convert the model and its inputs once, before the compiled call",
        )


@check(STRIDED_OUT, on=Placed)
def strided_out(event: Placed, facts: TorchFacts) -> Iterator[Finding]:
    """`torch.add(x, 1, out=y.t())`."""
    if event.how == "out":
        yield _layout_finding(
            STRIDED_OUT,
            event,
            f"`{event.name}` writes into a tensor that is {event.detail}",
            "Dynamo traces `out=` for contiguous tensors only: graph break.",
            "assign the result instead of writing it through `out=`",
        )


@check(EMPTY_OUT, on=Placed)
def empty_out(event: Placed, facts: TorchFacts) -> Iterator[Finding]:
    """`torch.add(x, 1, out=torch.empty(0))`."""
    if event.how == "out-empty":
        yield _layout_finding(
            EMPTY_OUT,
            event,
            f"`{event.name}` has to resize its `out=` tensor (made by `{event.detail}`)",
            "Dynamo traces `out=` for targets of the right shape only: graph break.",
            "assign the result instead of writing it through `out=`",
        )


def _layout_finding(
    rule: Rule, event: Placed, message: str, why: str, help_: str, rewrite: Rewrite | None = None
) -> Finding:
    origin = event.receiver.origin if isinstance(event.receiver, Tensor) else None
    return at(rule, event, message, confidence=event.sure, because=[origin], why=why, help=help_, rewrite=rewrite)
