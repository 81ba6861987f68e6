# an int is multiplied with
import torch


@torch.compile(backend="eager")
def scaled(x, n):
    return x * n


x = torch.randn(4)
for n in (2, 3, 4, 5):
    scaled(x, n)  #! recompile input
