# an inner step keeps its graph so that a learning rate is learnt
import torch
from torch import nn

net = nn.Linear(3, 1)
rate = nn.Parameter(torch.tensor(0.1))


@torch.compile(backend="aot_eager")
def task_loss(w, b, x, y):
    return (torch.nn.functional.linear(x, w, b).tanh() - y).pow(2).mean()


def adapted(x, y):
    loss = task_loss(net.weight, net.bias, x, y)  #! recompile input
    gw, gb = torch.autograd.grad(loss, (net.weight, net.bias), create_graph=True)  #! error
    return net.weight - rate * gw, net.bias - rate * gb


x, y = torch.randn(4, 3), torch.randn(4, 1)
w, b = adapted(x, y)
task_loss(w, b, x, y).backward()  #! error, recompile input
