# a lambda that is made for every call is an argument
import torch


@torch.compile(backend="eager")
def apply(x, fn):
    return fn(x) + 1


x = torch.randn(4)
for k in range(4):
    apply(x, lambda t: t * 2)
