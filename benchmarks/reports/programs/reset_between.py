# each size begins with a reset
import torch


@torch.compile(backend="eager")
def f(x):
    return x.cumsum(0)


for n in (4, 8, 16):
    torch._dynamo.reset()
    f(torch.randn(n))
