# the graph is retained for the second task; pair_of=pcgrad_without_retain
import torch
from torch import nn

net = nn.Linear(4, 4)


@torch.compile(backend="aot_eager")
def losses(x):
    h = net(x).tanh()
    return [h[:, :2].pow(2).mean(), h[:, 2:].pow(2).mean()]


def gradients(values):
    return [torch.autograd.grad(value, list(net.parameters()), retain_graph=True) for value in values]


gradients(losses(torch.randn(3, 4)))
