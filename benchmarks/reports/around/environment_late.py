# the variable is set after torch is imported
import os

import torch

os.environ["TORCH_COMPILE_DISABLE"] = "1"  #! slow


@torch.compile(backend="eager")
def f(x):
    return x + 1


f(torch.ones(2))
