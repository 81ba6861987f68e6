"""Where a call waits for a device: each operation that hands data of a tensor to Python, with the user's line.

Counted by what is dispatched, so that a machine without an accelerator shows them, too. Not seen there: `.cpu()`,
`.numpy()` and `.tolist()` of tensors that are on the host already.
"""

from __future__ import annotations

import traceback
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode

from compilelint.dynamic.worker.faults import PACKAGE, shown_path
from compilelint.dynamic.worker.recorder import is_watchable

# By the operation's name without its overload: what cannot return before the data is known.
_WAITS = frozenset(
    "aten::_local_scalar_dense aten::nonzero aten::masked_select aten::_unique aten::_unique2 aten::unique_dim "
    "aten::unique_consecutive aten::unique_dim_consecutive aten::equal aten::allclose".split()
)
_COPIES = frozenset({"aten::_to_copy", "aten::copy_"})
_INDEXES = frozenset({"aten::index", "aten::index_put", "aten::index_put_"})


@dataclass(frozen=True)
class Sync:
    """An operation that waits, and the innermost line of the user's code that asks for it."""

    operation: str
    place: str

    def text(self) -> str:
        """`net.py:12 (item)`."""
        shown = {"_local_scalar_dense": "item", "_to_copy": "copy to the host", "copy_": "copy to the host"}
        return f"{self.place or 'a place that is not known'} ({shown.get(self.operation, self.operation)})"


class _Watching(TorchDispatchMode):  # type: ignore[misc]
    def __init__(self) -> None:
        super().__init__()
        self.seen: list[Sync] = []

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Run the operation, and keep it where it waits."""
        result = func(*args, **(kwargs or {}))
        name = func._schema.name
        if name in _WAITS or (name in _COPIES and _leaves(args, result)) or (name in _INDEXES and _by_mask(args)):
            self.seen.append(Sync(name.removeprefix("aten::"), _place()))
        return result


def syncs_of(function: Any, args: Sequence[Any], named: Mapping[str, Any]) -> list[Sync]:
    """Where one eager call waits, in order."""
    watching = _Watching()
    with watching:
        function(*args, **named)
    return watching.seen


def _leaves(args: Sequence[Any], result: Any) -> bool:
    """Whether a copy brings a tensor from a device to the host."""
    tensors = [one for one in args if isinstance(one, torch.Tensor)]
    return bool(tensors) and result.device.type == "cpu" and any(one.device.type != "cpu" for one in tensors)


def _by_mask(args: Sequence[Any]) -> bool:
    """Whether a tensor is indexed by booleans: how many are true decides a shape."""
    masks = [one for one in args[1] if isinstance(one, torch.Tensor)] if len(args) > 1 else []
    return any(one.dtype in (torch.bool, torch.uint8) for one in masks)


def _place() -> str:
    frames = [
        one for one in traceback.extract_stack() if is_watchable(one.filename) and not one.filename.startswith(PACKAGE)
    ]
    return f"{shown_path(frames[-1].filename)}:{frames[-1].lineno}" if frames else ""
