# a function transform over a compiled function
import torch


@torch.compile(backend="aot_eager")
def f(x):
    return (x.sin() ** 2).sum()


x = torch.randn(4)
g = torch.func.grad(f)(x)
print(g.shape)
