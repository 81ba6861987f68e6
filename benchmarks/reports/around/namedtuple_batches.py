# batches are named tuples of varying width
from typing import NamedTuple

import torch


class Batch(NamedTuple):
    x: torch.Tensor
    y: torch.Tensor


@torch.compile(backend="eager")
def objective(batch):
    return ((batch.x.mean(1) - batch.y) ** 2).sum()


def make(width):
    return Batch(torch.randn(4, width), torch.randn(4))


batches = [make(w) for w in (8, 8, 10)]
for batch in batches:
    objective(batch)  #! recompile input
