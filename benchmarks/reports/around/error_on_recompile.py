# recompiling is an error, and the last batch is short
import torch
import torch._dynamo

torch._dynamo.config.error_on_recompile = True


@torch.compile(backend="eager")
def f(x):
    return x.softmax(-1)


for batch in torch.randn(7, 4).split(3):
    f(batch)  #! error
