# a changing number under fullgraph meets the limit
import torch


@torch.compile(backend="eager", fullgraph=True)
def f(x, n):
    if n > 2:
        return x + n
    return x - n


for n in range(12):
    f(torch.ones(2), n)  #! recompile input
