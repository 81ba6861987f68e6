# inner steps of meta learning through a compiled loss
import torch


@torch.compile(backend="aot_eager")
def task_loss(w, x, y):
    return ((x @ w - y) ** 2).mean()


w = torch.zeros(4, requires_grad=True)
x, y = torch.randn(8, 4), torch.randn(8)
inner = w
for _ in range(2):
    (g,) = torch.autograd.grad(task_loss(inner, x, y), inner, create_graph=True)  #! error
    inner = inner - 0.1 * g
task_loss(inner, x, y).backward()  #! error
