# noise is drawn outside and given as a tensor; pair_of=numpy_noise_in_forward
import numpy as np
import torch

np.random.seed(0)


@torch.compile(backend="eager")
def jitter(x, noise):
    return x + noise


print([round(jitter(torch.zeros(1), torch.tensor(np.random.rand())).item(), 4) for _ in range(3)])
