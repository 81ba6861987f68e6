# the first call is timed
import time

import torch


@torch.compile(backend="eager")
def f(x):
    return torch.sin(x) + 1


x = torch.randn(100)
start = time.perf_counter()  #! slow
f(x)  #! slow
print("ms", (time.perf_counter() - start) > 0)  #! slow
