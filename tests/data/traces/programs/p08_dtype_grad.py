"""Recompiles by dtype, grad mode, stride, device-like and number of arguments."""
import torch


@torch.compile(backend="eager")
def f(x, extra=None):
    y = x * 2
    return y if extra is None else y + extra


f(torch.randn(4, 4))
f(torch.randn(4, 4, dtype=torch.float64))
f(torch.randn(4, 4, requires_grad=True))
with torch.no_grad():
    f(torch.randn(4, 4))
f(torch.randn(4, 4).t())
f(torch.randn(4, 4), torch.ones(4, 4))
f(torch.randn(4, 4, 4))
