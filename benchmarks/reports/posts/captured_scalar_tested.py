# a captured scalar decides a branch
import torch

torch._dynamo.config.capture_scalar_outputs = True


@torch.compile(fullgraph=True, backend="eager")
def cut(x, n):
    k = n.item()
    if k > 3:  #! recompile input
        return x * 2
    return x * k


for number in (5, 2):
    cut(torch.randn(8), torch.tensor(number))  #! recompile input
