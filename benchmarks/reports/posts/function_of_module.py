# the function stands in the module and takes sigma as a tensor; pair_of=local_function_per_call
import torch


@torch.compile(backend="eager")
def kernel(v, sigma):
    return torch.exp(-v.pow(2) / (2 * sigma**2))


def gaussian(x, sigma):
    return kernel(x, torch.tensor(sigma))


for sigma in (0.5, 1.0, 2.0):
    gaussian(torch.randn(4), sigma)
