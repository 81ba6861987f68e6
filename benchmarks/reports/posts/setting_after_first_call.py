# a setting that allows captures is made after the first call
import torch
import torch._dynamo


@torch.compile(backend="eager")
def shift(x):
    return x + x.sum().item()  #! break


shift(torch.randn(3))
torch._dynamo.config.capture_scalar_outputs = True
for _ in range(2):
    shift(torch.randn(3))
