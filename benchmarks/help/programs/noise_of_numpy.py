# a diffusion step draws its time by numpy
# thread: pytorch/pytorch#136559: torch.rand in place of numpy, or draw outside
# help: torch.rand | outside
import numpy as np
import torch


def diffuse(x):
    rng = np.random.default_rng()  #! break
    t = float(rng.uniform())  #! break
    return x * t


fast = torch.compile(diffuse, backend="eager")
print(fast(torch.ones(2)).shape)
