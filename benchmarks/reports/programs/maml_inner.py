# inner steps of meta learning through a compiled loss
import torch


@torch.compile(backend="aot_eager")
def loss_of(w, x):
    return ((x @ w) ** 2).mean()


w = torch.randn(4, 1, requires_grad=True)
x = torch.randn(8, 4)
inner = loss_of(w, x)
(g,) = torch.autograd.grad(inner, w, create_graph=True)  #! error
outer = loss_of(w - 0.1 * g, x)
outer.backward()  #! error
