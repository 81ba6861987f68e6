# torch.autograd.functional.hvp of a compiled function
import torch
from torch.autograd.functional import hvp


@torch.compile(backend="aot_eager")
def energy(x):
    return (x.sin() * x).sum()


x = torch.randn(5)
_, product = hvp(energy, x, torch.ones(5))  #! error
print(product.shape)
