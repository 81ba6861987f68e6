# the compiled function is called under disable
import torch


@torch.compile(backend="eager")
def inner(x):
    return x.sin() + 1


@torch._dynamo.disable
def outer(x):
    return inner(x)


outer(torch.randn(4))
