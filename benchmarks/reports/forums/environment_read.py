# compiled code reads an environment variable that changes
import os

import torch


@torch.compile(backend="eager")
def f(x):
    if os.environ.get("MY_DEBUG") == "1":  #! wrong
        x = x + 1
    return x * 2


print(f(torch.ones(3)).sum().item())  #! wrong
os.environ["MY_DEBUG"] = "1"  #! wrong
print(f(torch.ones(3)).sum().item())  #! wrong
