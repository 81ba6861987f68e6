# each run of a table has arguments of its own
import torch

RUNS = [dict(scale=1, shift=True), dict(scale=1, shift=False)]


@torch.compile(backend="eager")
def affine(x, scale, shift):
    y = x * scale
    return y + 1 if shift else y


x = torch.ones(4)
for run in RUNS:
    affine(x, **run)  #! recompile input
