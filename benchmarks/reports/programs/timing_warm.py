# the first call is made before the clock is read; pair_of=timing_cold
import time

import torch


@torch.compile(backend="eager")
def f(x):
    return torch.sin(x) + 1


x = torch.randn(100)
for _ in range(3):
    f(x)
start = time.perf_counter()
f(x)
print("ms", (time.perf_counter() - start) > 0)
