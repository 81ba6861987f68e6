# the product of a Hessian and a vector goes through a compiled loss
import torch
from torch import nn

model = nn.Linear(4, 1)


def loss_fn(x, y):
    return (model(x) - y).square().mean()


compiled_loss = torch.compile(loss_fn, backend="aot_eager")
params = list(model.parameters())
x, y = torch.randn(8, 4), torch.randn(8, 1)
grads = torch.autograd.grad(compiled_loss(x, y), params, create_graph=True)  #! error
v = [torch.ones_like(g) for g in grads]
dot = sum((g * w).sum() for g, w in zip(grads, v))
hvp = torch.autograd.grad(dot, params)  #! error
print(len(hvp))
