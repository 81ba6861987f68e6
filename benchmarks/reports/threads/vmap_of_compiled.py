# a compiled function is mapped over a batch
import torch


@torch.compile(backend="aot_eager")
def single(x):
    return (x * x).sum()


batch = torch.randn(5, 3)
print(torch.func.vmap(single)(batch).shape)  #! slow
