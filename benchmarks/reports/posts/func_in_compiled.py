# the transform is inside the compiled function; pair_of=func_vjp_of_compiled
import torch


def curve(t):
    return t.sin() * t


@torch.compile(backend="eager")
def pulled(t):
    value, pull = torch.func.vjp(curve, t)
    return pull(torch.ones_like(value))[0]


for _ in range(2):
    print(pulled(torch.ones(3)).shape)
