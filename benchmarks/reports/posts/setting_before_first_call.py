# the setting is made first; pair_of=setting_after_first_call
import torch
import torch._dynamo

torch._dynamo.config.capture_scalar_outputs = True


@torch.compile(backend="eager")
def shift(x):
    return x + x.sum().item()


for _ in range(3):
    shift(torch.randn(3))
