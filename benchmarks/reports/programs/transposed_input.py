# one call passes a transposed tensor of the same shape
import torch


@torch.compile(backend="eager")
def norm(x):
    return x / x.norm(dim=-1, keepdim=True)


a = torch.randn(8, 8)
norm(a)  #! recompile input
norm(a.t())  #! recompile input
