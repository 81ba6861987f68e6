# the Hessian of a compiled energy
import torch


@torch.compile(backend="aot_eager")
def energy(x):
    return (x**4).sum()


x = torch.randn(3, requires_grad=True)
(g,) = torch.autograd.grad(energy(x), x, create_graph=True)  #! error
rows = [torch.autograd.grad(g[i], x, retain_graph=True)[0] for i in range(3)]  #! error
