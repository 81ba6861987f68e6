# a name in the configuration that does not exist
import torch
import torch._dynamo

torch._dynamo.config.max_recompiles = 64  #! error


@torch.compile(backend="eager")
def f(x):
    return x + 1


f(torch.ones(2))
