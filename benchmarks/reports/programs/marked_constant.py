# a marked dimension meets a constant size
import torch


@torch.compile(backend="eager")
def f(x):
    return x + torch.ones(8, 4)  #! error


x = torch.randn(8, 4)
torch._dynamo.mark_dynamic(x, 0)  #! error
f(x)  #! error
