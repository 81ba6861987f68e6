"""Handles of hooks on tensors that the region computes: `tensor.register_hook(...)`.

Measured on torch 2.13 and 2.15: such a handle lies in a local name or a list. Stored on an object or returned it ends
the graph, since Dynamo cannot make it before the tensor is; that of a hook on an input or a parameter may go there.
No handle is stored in a global.
"""

from __future__ import annotations

from typing import Final

from compilelint.interp.core.frame import Frame
from compilelint.interp.core.refusals import refused
from compilelint.interp.regions.hook_handles import HANDLE
from compilelint.values import Instance, Source, Tensor, Value, arms

_IN_GLOBAL = "GB0100"  # "Storing Tensor hook handle in globals"
RETURNED: Final = "GB0092"  # "Object could not be reconstructed"


def made(tensor: Tensor, name: str, result: Value) -> Value:
    """What a method of a tensor gives: `result`, or the handle of a hook."""
    if name not in _REGISTERING or tensor.array:
        return result
    return Instance(HANDLE if tensor.source is Source.COMPUTED else _OF_INPUT, True)


_REGISTERING: Final = frozenset({"register_hook", "register_post_accumulate_grad_hook"})
_OF_INPUT: Final = f"{HANDLE} of an input"


def is_handle(value: Value) -> bool:
    """Whether it is the handle of a hook on what the region computes, whatever else it may be."""
    return any(isinstance(arm, Instance) and arm.name == HANDLE and arm.inside for arm in arms(value))


def _is_of_tensor(value: Value) -> bool:
    return isinstance(value, Instance) and value.name in (HANDLE, _OF_INPUT) and value.inside


def stored(f: Frame, value: Value, pos: int, where: str) -> None:
    """A value is stored in a global, or on an object (`where`)."""
    if f.function is None or not any(map(_is_of_tensor, arms(value))):
        return
    if where == "global":
        refused(f, _IN_GLOBAL, "global = handle of a hook", (value,), pos)
    elif is_handle(value):  # which Dynamo does when the traced piece is done
        last = f.function.node.body[-1].pos
        refused(f, RETURNED, "attribute = handle of a hook", (value,), last)
