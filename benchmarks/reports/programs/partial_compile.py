# partial(torch.compile) and three sizes
from functools import partial

import torch

tc = partial(torch.compile, backend="eager")


@tc
def norm(x):
    return x / x.sum()


for n in range(2, 6):
    norm(torch.rand(n, n))  #! recompile input
