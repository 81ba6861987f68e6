# the limit is set by its name
import torch
import torch._dynamo

torch._dynamo.config.recompile_limit = 16


@torch.compile(backend="eager")
def f(x):
    return x + 1


f(torch.ones(2))
