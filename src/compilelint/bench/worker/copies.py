"""Where a pass of the model copies between devices, and how long the host waits for it: by line of the user's code.

Seen by a mode of torch's dispatcher, without compiling. A copy's time holds the wait for all work queued before it, so
it is the most that leaving the copy out can save of copying; what the host computes in between is not in it.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from types import FrameType
from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode

from compilelint.dynamic.worker.recorder import is_watchable

_COPIES = frozenset({"aten::_to_copy", "aten::copy_", "aten::_local_scalar_dense"})
_OWN = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))) + os.sep
_MOST_FRAMES = 6
_PASSES = 5


def copies(run: Callable[[], Any], calls: int) -> list[dict[str, Any]]:
    """The copies of a pass of `calls` calls: devices, frames of the user's code (innermost first), count, seconds."""
    run()  # what happens once only is no cost of every call
    watch = _Watch()
    with watch:
        for _ in range(_PASSES):
            run()
    number = _PASSES * calls
    return [
        {"way": way, "frames": [list(one) for one in frames], "count": count / number, "seconds": seconds / number}
        for (way, frames), (count, seconds) in watch.found.items()
    ]


class _Watch(TorchDispatchMode):  # type: ignore[misc]  # torch is Any to mypy
    """Times what moves data from one device to another."""

    def __init__(self) -> None:
        super().__init__()
        self.found: dict[tuple[str, tuple[tuple[str, int], ...]], tuple[int, float]] = {}

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        started = time.perf_counter()
        result = func(*args, **(kwargs or {}))
        if func._schema.name in _COPIES:
            way = _way(args, result)
            if way:
                if torch.cuda.is_available():
                    torch.cuda.synchronize()
                key = (way, _frames())
                count, seconds = self.found.get(key, (0, 0.0))
                self.found[key] = (count + 1, seconds + time.perf_counter() - started)
        return result


def _way(args: Any, result: Any) -> str:
    """`cuda to cpu`; empty where both ends are the same device."""
    second = args[1] if len(args) > 1 else None
    source = second if isinstance(second, torch.Tensor) else args[0]
    ends = source.device, result.device if isinstance(result, torch.Tensor) else torch.device("cpu")
    return "" if ends[0] == ends[1] else f"{ends[0].type} to {ends[1].type}"


def _frames() -> tuple[tuple[str, int], ...]:
    """The frames of the user's code that led here, innermost first."""
    found: list[tuple[str, int]] = []
    frame: FrameType | None = sys._getframe(2)
    while frame is not None and len(found) < _MOST_FRAMES:
        path = frame.f_code.co_filename
        if is_watchable(path) and not os.path.abspath(path).startswith(_OWN):
            found.append((os.path.abspath(path).replace(os.sep, "/"), frame.f_lineno))
        frame = frame.f_back
    return tuple(found)
