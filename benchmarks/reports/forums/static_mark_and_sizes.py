# the batch is marked static and differs
import torch


@torch.compile(backend="eager")
def f(x):
    return x.softmax(0)


for n in (4, 6, 8):
    x = torch.randn(n, 3)
    torch._dynamo.mark_static(x, 0)
    f(x)  #! recompile input
