# capture_scalar_outputs is on in the file
import torch
import torch._dynamo

torch._dynamo.config.capture_scalar_outputs = True


@torch.compile(backend="eager")
def f(x):
    return x * x.sum().item()


for _ in range(2):
    f(torch.randn(3))
