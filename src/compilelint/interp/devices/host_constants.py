"""Tensors that Inductor leaves on the host although the region makes them, where CUDA graphs are recorded.

Inductor makes `torch.arange(n)` on the device where all that follows from it can lie there too, and computes what is
pointwise of a list of numbers (`torch.tensor([1.0, 2.0]) * 2`) while it copies it. What it cannot move runs on the
host in every call. Which operations these are was measured by compiling each on each way to make a constant
(`benchmarks/cudagraphs/replay.py`, torch 2.11). Does not belong here: what is kept on the host, drawn or copied to it.
"""

from __future__ import annotations

from compilelint.interp.core.origin_steps import OUTLIVES, steps_back
from compilelint.values import OriginKind, Source, Tensor

_WRITTEN_OUT = frozenset({"tensor", "as_tensor", "asarray", "FloatTensor", "LongTensor", "IntTensor", "DoubleTensor"})
# Several results, or a kernel of the library: whatever the constant is made by.
_NEVER_MOVED = frozenset(
    {"sort", "argsort", "topk", "norm", "bincount", "bucketize", "searchsorted", "inv", "inverse", "histc"}
)
# What is computed before the copy, of numbers that the source lists.
_REALIZED = frozenset(
    """
    sum mean prod max min argmax argmin any all std var logsumexp softmax log_softmax cumsum cumprod diff matmul mm bmm
    @ conv1d conv2d normalize vander scatter
    """.split()
)


def computed(tensor: Tensor, operation: str) -> bool:
    """Whether an operation on a constant that the region makes on the host is run there."""
    if tensor.device != "cpu" or tensor.array:
        return False
    steps = list(steps_back(tensor.origin))
    made = next((step for step in steps if step.kind in (OriginKind.MADE, OriginKind.LEAF)), None)
    if made is None or made.parent is not None or tensor.source is Source.INPUT:
        return False
    if any(step.kind in (*OUTLIVES, OriginKind.TO_HOST) for step in steps):
        return False
    return operation in _NEVER_MOVED or (operation in _REALIZED and made.what in _WRITTEN_OUT)
