# times of a solver are taken from a tensor
import torch


@torch.compile(backend="eager")
def field(t, y):
    return torch.sin(t) * y


y = torch.ones(4)
ts = torch.linspace(0, 1, 6)
for t0, t1 in zip(ts[:-1], ts[1:]):
    h = t1 - t0
    k1 = field(t0, y)
    k2 = field(t0 + h / 2, y + h / 2 * k1)
    y = y + h * k2
