# a loop hands over where it starts and ends
import torch


@torch.compile(backend="eager")
def accumulate(x, start, end):
    acc = x[start]
    for i in range(start + 1, end):
        acc = acc + x[i]
    return acc


data = torch.randn(20, 3)
for s in range(0, 20, 5):
    e = s + 1 + s // 5
    total = accumulate(data, s, e)  #! recompile input
