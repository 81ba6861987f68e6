"""State that keeps a result of a CUDA graph for the next call, whose run writes over it.

A replayed graph writes its results where it wrote them before, so what an attribute, a global or a list of the caller
keeps is gone when the next call reads it: "accessing tensor output of CUDAGraphs that has been overwritten". Recorded
on an H200 (torch 2.11): a table that is moved to the device at first use is no result of the graph, since copies
between devices are left out of it, and one that has the dtype already is itself; a constant that the region makes is a
result, also where it is made on the host and moved, for Inductor makes it on the device.
Does not belong here: which state changes (`kept_state`); what a finding says.
"""

from __future__ import annotations

from compilelint import events
from compilelint.interp.core.frame import Frame
from compilelint.interp.core.origin_steps import OFTEN_ITSELF, OUTLIVES, of_an_argument
from compilelint.interp.core.slots import Change, Use
from compilelint.interp.text.copies_needed import ASKED
from compilelint.interp.text.lazily_filled_state import filled_by_constructor
from compilelint.model import Doubt
from compilelint.values import OriginKind, Sequence, Source, Tensor, Value, arms, is_none

_KEEPING = frozenset({"write", "step", "grow"})
_CONVERSIONS = OFTEN_ITSELF | {".half", ".bfloat16", ".double", ".type", ".long", ".int", ".bool"}
_OF_ARRAYS = frozenset({"from_numpy", "as_tensor", "asarray"})
_OF_STATE = (*OUTLIVES, OriginKind.OWNED)


def kept(f: Frame, use: Use | None) -> None:
    """State that a root reads first and leaves with a result of its own graph."""
    if use is None or f.context.root_kind == "unreached" or not f.context.config.records_cuda_graphs:
        return
    for slot, changes in use.changes.items():
        for change in changes.values():
            read = slot in use.reads or change.how == "grow"  # what appends to a list looks at all of it
            keeps = change.how in _KEEPING or (change.how == "key" and change.conditional)  # `if key not in self.cache`
            if read and keeps and change.site.context.linted and _is_result(change):
                doubt = _doubt(change, f.context.root_kind in ASKED)
                moved = doubt is Doubt.CONVERTED_STATE and _is_on_host(change.initial)
                how: events.UnrecordedHow = "moved-once" if moved else "kept-output"
                sure = Doubt.RECORDED_ON_ONE_DEVICE.cap if moved else doubt.cap
                f.interp.emit(events.Unrecorded(change.site, None, how, change.name, change.value, sure))


def _doubt(change: Change, asked: bool) -> Doubt:
    if change.doubted:
        return Doubt.DEFAULTS_SAY_OTHERWISE
    renewed = change.conditional and change.tested and isinstance(change.initial, Tensor)  # `if len(self.table) < n`
    if (renewed and not asked) or filled_by_constructor(change.site.context):
        return Doubt.FILLED_BY_CONSTRUCTOR
    converted = isinstance(change.value, Tensor) and _is_state_converted(change.value, change.initial)
    return Doubt.CONVERTED_STATE if converted else Doubt.RECORDED_ON_ONE_DEVICE


def _is_state_converted(value: Tensor, initial: Value | None) -> bool:
    """Whether it is what the state held, as `self.table.to(x)`: the same tensor, unless its dtype is another one."""
    before = initial if isinstance(initial, Tensor) else None
    if before is not None and before.dtype and value.dtype and before.dtype != value.dtype:
        return False
    step = value.origin
    while step is not None and step.what in _CONVERSIONS:
        step = step.parent
        if step is not None and (step.kind in _OF_STATE or (before is not None and step == before.origin)):
            return True
    return False


def _is_on_host(initial: Value | None) -> bool:
    """Whether state begins as a tensor on the host, and stays there when its module moves."""
    return isinstance(initial, Tensor) and initial.device == "cpu" and initial.source is not Source.BUFFER


def _is_result(change: Change) -> bool:
    """Whether the graph computes what the state is left with: a tensor, or a tuple or list with one."""
    value = change.value
    parts = value.items if isinstance(value, Sequence) and value.items is not None else (value,)
    return any(is_computed(part) for part in parts)


def is_computed(value: Value) -> bool:
    """Whether the graph computes it; copies from an array of the host and to the host are left out of the graph."""
    found = [arm for arm in arms(value) if isinstance(arm, Tensor) and not arm.array and not _is_copied(arm)]
    if all(of_an_argument(arm) is not None for arm in found):
        return False
    return any(arm.source is Source.COMPUTED for arm in found) and all(
        isinstance(arm, Tensor) or is_none(arm) for arm in arms(value)
    )


def _is_copied(tensor: Tensor) -> bool:
    """`torch.from_numpy(table).float().to(device)`, `keys.clone().cpu()`."""
    step = tensor.origin
    if step is not None and (step.kind is OriginKind.TO_HOST or step.what == ".cpu"):
        return True
    while step is not None and step.what in _CONVERSIONS:
        step = step.parent
    return step is not None and step.kind is OriginKind.MADE and step.what in _OF_ARRAYS
