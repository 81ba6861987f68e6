# numpy arrays of several lengths become tensors
import numpy as np
import torch


@torch.compile(backend="eager")
def energy(x):
    return (x**2).sum()


for n in [100, 200, 300]:
    signal = np.zeros(n, dtype=np.float32)
    energy(torch.from_numpy(signal))  #! recompile input
