# the inner step takes its gradients without a graph; pair_of=meta_learning_rate
import torch
from torch import nn

net = nn.Linear(3, 1)


@torch.compile(backend="aot_eager")
def task_loss(w, b, x, y):
    return (torch.nn.functional.linear(x, w, b).tanh() - y).pow(2).mean()


def adapted(x, y):
    loss = task_loss(net.weight, net.bias, x, y)  #! recompile input
    gw, gb = torch.autograd.grad(loss, (net.weight, net.bias))
    return (net.weight - 0.1 * gw).detach().requires_grad_(), (net.bias - 0.1 * gb).detach().requires_grad_()


x, y = torch.randn(4, 3), torch.randn(4, 1)
for _ in range(2):
    w, b = adapted(x, y)
    task_loss(w, b, x, y).backward()  #! recompile input
