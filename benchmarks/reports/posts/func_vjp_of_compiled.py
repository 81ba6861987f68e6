# torch.func.vjp of a compiled function, which runs uncompiled or is allowed
import torch


@torch.compile(backend="eager")
def curve(t):
    return t.sin() * t


value, pull = torch.func.vjp(curve, torch.ones(3))
print(pull(torch.ones(3))[0].shape)
