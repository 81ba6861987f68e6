# a function makes and compiles a closure whenever it is called
import torch


def gaussian(x, sigma):
    @torch.compile(backend="eager")  #! slow, recompile instance
    def kernel(v):
        return torch.exp(-v.pow(2) / (2 * sigma**2))

    return kernel(x)


for sigma in (0.5, 1.0, 2.0):
    gaussian(torch.randn(4), sigma)
