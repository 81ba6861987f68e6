"""Who refused a call: torch, or Python and the code of the user.

The innermost frame says it where it lies in torch. What torch's C++ raises has no frame of its own, and neither has a
lookup in a list or a dict, so such a call is made once more while the functions of torch are watched.
"""

from __future__ import annotations

import types
from collections.abc import Callable
from typing import Any

from torch.overrides import TorchFunctionMode

from compilelint.dynamic.worker.faults import PACKAGE, hands_over, is_answer
from compilelint.dynamic.worker.recorder import TORCH


class _Watching(TorchFunctionMode):  # type: ignore[misc]
    """Keeps what a function of torch raised last."""

    raised: BaseException | None = None

    @hands_over
    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        try:
            return func(*args, **(kwargs or {}))
        except BaseException as error:
            self.raised = error
            raise


def refused_by_torch(trace: types.TracebackType | None, again: Callable[[], Any]) -> bool:
    """Whether torch raised what came of a call, by its traceback; `again` makes the same call.

    Where that raises nothing any more, it cannot be said, and counts as torch's.
    """
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    if trace is None or trace.tb_frame.f_code.co_filename.startswith((TORCH, PACKAGE)):
        return True  # a pretended device refuses in a file of ours, as torch does
    watching = _Watching()
    try:
        with watching:
            again()
    except BaseException as error:
        if not is_answer(error):
            raise
        return error is watching.raised
    return True
