"""CL4xx: memory. What changes or reads the storage under a tensor, which a graph of operations does not know."""

from __future__ import annotations

from compilelint.checks.breaks import Words, on_break, spelled
from compilelint.events import Event
from compilelint.model import Effect, Rule
from compilelint.torchfacts import Reason

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
    summary="the storage or address under a tensor is read or shared",
    effect=Effect.GRAPH_BREAK,
    breaks=(Reason.TENSOR_SHARING.value,),
)


@on_break(TENSOR_RESIZE)
def tensor_resize(event: Event) -> Words:
    """`resize_`, `resize_as_`, `set_`."""
    why = "Dynamo follows shapes through operations; memory that changes its size under them is beyond it."
    return Words(
        f"{spelled(event)} changes the size of a tensor's memory",
        why,
        "make a new tensor: `new_empty`, `F.pad`, `x[:n]`",
    )


@on_break(STORAGE_ACCESS)
def storage_access(event: Event) -> Words:
    """`storage()`, `storage_offset()`, DLPack, shared memory."""
    why = "A traced tensor has shape and dtype but no memory yet, so there is nothing to read or share."
    help_ = "do it before or after the compiled region; inside, keep to operations on the values"
    return Words(f"{spelled(event)} needs the memory under a tensor", why, help_)
