# some requests come in double precision
import numpy as np
import torch


@torch.compile(backend="eager")
def normalize(x):
    return (x - x.mean()) / (x.std() + 1e-6)


for row in (np.ones(4, dtype=np.float32), np.linspace(0, 1, 4)):
    normalize(torch.from_numpy(row))  #! recompile input
