# an enum decides the branch
import enum

import torch


class Mode(enum.Enum):
    SUM = 1
    MEAN = 2


@torch.compile(backend="eager")
def reduce(x, mode):
    return x.sum() if mode is Mode.SUM else x.mean()


x = torch.randn(6)
for mode in Mode:
    reduce(x, mode)  #! recompile input
