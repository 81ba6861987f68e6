# forces by create_graph that nothing differentiates
import torch


@torch.compile(backend="aot_eager")
def energy(x):
    return (x**2).sum()


x = torch.randn(3, requires_grad=True)
e = energy(x)
(force,) = torch.autograd.grad(e, x, create_graph=False)
print(force.shape)
