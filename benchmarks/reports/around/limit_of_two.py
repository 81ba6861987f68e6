# a limit that the sizes of a project exceed, in one graph
import torch

torch._dynamo.config.recompile_limit = 2
torch._dynamo.config.automatic_dynamic_shapes = False


@torch.compile(backend="eager", fullgraph=True)
def f(x):
    return x.cumsum(0)


for n in range(3, 8):
    f(torch.ones(n))  #! recompile input, error
