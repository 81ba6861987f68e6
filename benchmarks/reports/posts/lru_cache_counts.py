# a cached helper is called in the compiled function and its statistics are read
from functools import lru_cache

import torch


@lru_cache(maxsize=None)
def table(n):
    return torch.arange(n).float()


@torch.compile(backend="eager")
def run(x):
    return x + table(4)  #! wrong


for _ in range(3):
    run(torch.zeros(4))
print(table.cache_info())  #! wrong
