"""Operations that the capture of a CUDA graph refuses, although Dynamo and Inductor take them.

Recorded on a GPU with the operations' own samples (`benchmarks/cudagraphs/record.py operations`): each of these raised
in every sample that has elements, for it reads a status or a size back to the host.
"""

from __future__ import annotations

import functools
import json

from compilelint.torchfacts.store import DATA

_METHODS = "torch.Tensor."


def refused(name: str) -> bool:
    """Whether a capture refuses the function or method of that name (`torch.linalg.eigh`, `torch.Tensor.svd`)."""
    known = _known()
    return name in known or (name.startswith(_METHODS) and f"torch.{name.removeprefix(_METHODS)}" in known)


@functools.cache
def _known() -> frozenset[str]:
    data = json.loads((DATA / "cudagraphs.json").read_text(encoding="utf-8"))
    return frozenset(data["refused"])
