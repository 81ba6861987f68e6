# the offset of a loop slices inside compiled code
import torch


@torch.compile(backend="eager")
def window(x, start):
    return x[start : start + 4] * 2


x = torch.arange(32.0)
total = 0
for start in range(0, 16, 4):
    total = total + window(x, start)  #! recompile input
